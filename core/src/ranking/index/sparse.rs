//! Numbers for some of the documents of an index, which can be taken out without a look at the others.

/// Numbers for some of the documents.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    numbers: Vec<f32>,
    /// The documents with a number, in no order.
    with: Vec<u32>,
}

impl Sparse {
    fn of(&mut self, document: u32) -> &mut f32 {
        let at = document as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, 0.0);
        }
        if self.numbers[at] == 0.0 {
            self.with.push(document);
        }
        &mut self.numbers[at]
    }

    /// Adds to the number of a document.
    pub(super) fn add(&mut self, document: u32, number: f32) {
        *self.of(document) += number;
    }

    /// Raises the number of a document, if it is lower.
    pub(super) fn raise(&mut self, document: u32, number: f32) {
        let own = self.of(document);
        *own = own.max(number);
    }

    /// Calls `each` with all numbers, and forgets them.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u32, f32)) {
        for document in self.with.drain(..) {
            each(document, std::mem::take(&mut self.numbers[document as usize]));
        }
    }
}

//! Reading and writing the bytes of index files. A reader never reads beyond the end: damaged bytes give `None`.

/// Reads numbers and byte strings from the beginning of a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Reader(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What has not been read yet.
    pub(super) fn rest(&self) -> &'b [u8] {
        self.0
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    pub(super) fn u128(&mut self) -> Option<u128> {
        self.array().map(u128::from_le_bytes)
    }

    /// A number of variable length.
    pub(super) fn number(&mut self) -> Option<u32> {
        let mut number = 0_u32;
        for shift in (0..32).step_by(7) {
            let byte = self.u8()?;
            number |= u32::from(byte & 0x7F).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A byte string with its length before it.
    pub(super) fn string(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        self.take(length as usize)
    }
}

/// Appends a number of variable length: seven bits a byte, the lowest first.
#[allow(clippy::cast_possible_truncation, reason = "only seven bits of it are meant")]
pub(super) fn put_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a byte string with its length before it.
pub(super) fn put_string(bytes: &mut Vec<u8>, string: &[u8]) {
    put_number(bytes, u32::try_from(string.len()).unwrap_or(u32::MAX));
    bytes.extend_from_slice(string);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(numbers in prop::collection::vec(any::<u32>(), 0..20), text in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|number| put_number(&mut bytes, *number));
            put_string(&mut bytes, &text);
            let mut reader = Reader::new(&bytes);
            for number in numbers {
                prop_assert_eq!(reader.number(), Some(number));
            }
            prop_assert_eq!(reader.string(), Some(&*text));
            prop_assert!(reader.is_empty());
            prop_assert_eq!(reader.u8(), None);
        }

        #[test]
        fn damaged_bytes_are_not_read_beyond_their_end(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut reader = Reader::new(&bytes);
            while reader.string().is_some() {}
            while reader.number().is_some() {}
        }
    }
}

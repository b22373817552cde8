//! Reading and writing numbers, byte strings and records of them. A reader never reads beyond the end: damaged bytes give `None`.

/// Reads numbers and byte strings from the beginning of a slice.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    /// A reader of `bytes`.
    pub fn new(bytes: &'b [u8]) -> Self {
        Reader(bytes)
    }

    /// True if everything was read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that have not been read yet.
    pub fn rest(&self) -> &'b [u8] {
        self.0
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// The next byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// The next number of 32 bits.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next number of 64 bits.
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number of variable length.
    #[inline]
    pub fn number(&mut self) -> Option<u32> {
        // Most are small.
        if let [byte @ ..0x80, rest @ ..] = self.0 {
            self.0 = rest;
            return Some(u32::from(*byte));
        }
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
    pub fn string(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        self.take(length as usize)
    }
}

/// Appends a number of variable length: seven bits a byte, the lowest first.
#[allow(clippy::cast_possible_truncation, reason = "only seven bits of it are meant")]
pub fn put_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends the length of a list.
pub fn put_count(bytes: &mut Vec<u8>, count: usize) {
    put_number(bytes, u32::try_from(count).unwrap_or(u32::MAX));
}

/// Appends a byte string with its length before it.
pub fn put_string(bytes: &mut Vec<u8>, string: &[u8]) {
    put_count(bytes, string.len());
    bytes.extend_from_slice(string);
}

/// A value that is read as it was written.
pub trait Value: Sized {
    /// Appends it.
    fn put(&self, bytes: &mut Vec<u8>);

    /// The next value; `None` if there is none.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
}

/// Implements [`Value`] for records, as all of their fields in this order.
macro_rules! values {
    ($($record:ident { $($field:ident),* $(,)? })*) => {
        $(
            impl $crate::segments::Value for $record {
                fn put(&self, bytes: &mut Vec<u8>) {
                    $($crate::segments::Value::put(&self.$field, bytes);)*
                }

                fn read(reader: &mut $crate::segments::Reader<'_>) -> Option<Self> {
                    $(let $field = $crate::segments::Value::read(reader)?;)*
                    Some($record { $($field),* })
                }
            }
        )*
    };
}
pub(crate) use values;

macro_rules! numbers {
    ($($number:ident),*) => {
        $(
            impl Value for $number {
                fn put(&self, bytes: &mut Vec<u8>) {
                    bytes.extend_from_slice(&self.to_le_bytes());
                }

                fn read(reader: &mut Reader<'_>) -> Option<Self> {
                    reader.array().map(<$number>::from_le_bytes)
                }
            }
        )*
    };
}
numbers!(u8, u32, u64, i64);

impl<const N: usize> Value for [u8; N] {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self);
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.array()
    }
}

impl Value for bool {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.u8().map(|byte| byte == 1)
    }
}

impl Value for Box<[u8]> {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_string(bytes, self);
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.string().map(Into::into)
    }
}

impl Value for String {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_string(bytes, self.as_bytes());
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        std::str::from_utf8(reader.string()?).ok().map(str::to_owned)
    }
}

impl<T: Value> Value for Option<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.is_some().put(bytes);
        self.iter().for_each(|value| value.put(bytes));
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        if bool::read(reader)? { T::read(reader).map(Some) } else { Some(None) }
    }
}

impl<T: Value> Value for Vec<T> {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_count(bytes, self.len());
        self.iter().for_each(|value| value.put(bytes));
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let count = reader.number()? as usize;
        // Damaged bytes may claim any number.
        let mut values = Vec::with_capacity(count.min(reader.rest().len() / 8));
        for _ in 0..count {
            values.push(T::read(reader)?);
        }
        Some(values)
    }
}

impl<A: Value, B: Value> Value for (A, B) {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
        self.1.put(bytes);
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some((A::read(reader)?, B::read(reader)?))
    }
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

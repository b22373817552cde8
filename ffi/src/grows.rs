//! Structs that begin with their size and grow at the end, so that hosts and libraries of different versions can
//! interoperate.

use std::mem::MaybeUninit;

use loopmem_core::{Error, ErrorKind, Result};

use crate::misuse;

/// A struct that the host fills in.
///
/// # Safety
/// It is `repr(C)`, begins with its size as a `usize`, and all zeros is a valid value.
pub(crate) unsafe trait Grows: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// The size of the first version, which never changes.
    const FIRST_SIZE: usize;
}

/// No struct is larger: a size beyond this was never initialized.
const LARGEST: usize = 4096;

/// The struct as this version knows it. Members that an older host does not have read as zero. Members that only a
/// newer host has must be zero, since this version would ignore them.
///
/// # Safety
/// `from` is valid for as many bytes as its size says.
pub(crate) unsafe fn read<T: Grows>(from: *const T) -> Result<T> {
    // SAFETY: every version begins with the size, which is read before the rest, which may not exist.
    let size = unsafe { from.cast::<usize>().read() };
    // A `sizeof` is a multiple of the alignment: any other number would cut a member in two.
    if size < T::FIRST_SIZE || size > LARGEST || !size.is_multiple_of(align_of::<T>()) {
        return Err(misuse(&format!("the size in {} is {size}; set it to sizeof({})", T::NAME, T::NAME)));
    }
    let known = size.min(size_of::<T>());
    let mut it = MaybeUninit::<T>::zeroed();
    // SAFETY: the caller guarantees `size` bytes; these are no more than either side has.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), it.as_mut_ptr().cast::<u8>(), known) };
    // SAFETY: the caller guarantees `size` bytes.
    let unknown = unsafe { std::slice::from_raw_parts(from.cast::<u8>().add(known), size - known) };
    if unknown.iter().any(|byte| *byte != 0) {
        let message = format!("{} has members that this library does not know; it is older than the header", T::NAME);
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    // SAFETY: zeros and what the host filled in, which the trait guarantees is a valid value.
    Ok(unsafe { it.assume_init() })
}

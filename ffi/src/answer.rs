//! Converts text from and to C.

use std::ffi::c_char;

use loopmem_core::{Error, ErrorKind, Result};

use crate::{loopmem_buffer, loopmem_status};

/// The text that the host passed as `name`.
///
/// # Safety
/// `data` is NULL or valid for `length` bytes as long as the result is used.
pub(crate) unsafe fn text<'a>(data: *const c_char, length: usize, name: &str) -> Result<&'a str> {
    if data.is_null() {
        return match length {
            0 => Ok(""),
            _ => Err(Error::new(ErrorKind::Misuse, format!("{name} is NULL but {length} bytes long"))),
        };
    }
    // No object in a process is longer; this also catches -1 converted to unsigned.
    if isize::try_from(length).is_err() {
        return Err(Error::new(ErrorKind::Misuse, format!("{name} cannot be {length} bytes long")));
    }
    // SAFETY: not NULL, not longer than a slice may be, and the caller guarantees the length.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) };
    std::str::from_utf8(bytes)
        .map_err(|fault| Error::validation(format!("{name} is not UTF-8: byte {} is wrong", fault.valid_up_to())))
}

/// Stores the result or the error in `answer` and returns the status.
///
/// # Safety
/// `answer` is NULL or valid.
pub(crate) unsafe fn deliver(outcome: Result<String>, answer: *mut loopmem_buffer) -> loopmem_status {
    let (status, text) = match outcome {
        Ok(text) => (0, text),
        Err(error) => (error.kind().status(), error.to_json()),
    };
    if !answer.is_null() {
        let length = text.len();
        let data = if text.is_empty() {
            std::ptr::null_mut()
        } else {
            let mut bytes = text.into_bytes();
            bytes.push(0);
            Box::into_raw(bytes.into_boxed_slice()).cast()
        };
        // SAFETY: not NULL, and the caller guarantees that it is valid.
        unsafe { answer.write(loopmem_buffer { data, length }) };
    }
    status
}

/// Frees what [`deliver`] allocated.
///
/// # Safety
/// `buffer` is NULL or valid and as `deliver` left it.
pub(crate) unsafe fn free(buffer: *mut loopmem_buffer) {
    // SAFETY: the caller guarantees that it is NULL or valid.
    let Some(buffer) = (unsafe { buffer.as_mut() }) else { return };
    if !buffer.data.is_null() {
        let bytes = std::ptr::slice_from_raw_parts_mut(buffer.data.cast::<u8>(), buffer.length + 1);
        // SAFETY: `deliver` created it from a box of this length, and it is emptied below so that it is freed only
        // once.
        drop(unsafe { Box::from_raw(bytes) });
    }
    buffer.data = std::ptr::null_mut();
    buffer.length = 0;
}

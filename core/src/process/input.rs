//! The standard input of a program.

use std::io;
use std::process::Stdio;

/// The input as a file in memory: a pipe would need a thread that writes to it, and a program that does not read its input would
/// end a host that does not ignore the signal for it.
#[cfg(target_os = "linux")]
pub(super) fn standard_input(input: &str) -> io::Result<Stdio> {
    use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};

    let file = memfd_create("loopmem", MemfdFlags::CLOEXEC)?;
    let mut rest = input.as_bytes();
    while !rest.is_empty() {
        let written = rustix::io::write(&file, rest)?;
        rest = rest.get(written..).unwrap_or_default();
    }
    seek(&file, SeekFrom::Start(0))?;
    Ok(Stdio::from(file))
}

/// Elsewhere, a thread writes the input to a pipe.
#[cfg(not(target_os = "linux"))]
pub(super) fn standard_input(input: &str) -> io::Result<Stdio> {
    let (reader, mut writer) = io::pipe()?;
    let input = input.to_owned();
    std::thread::spawn(move || {
        use std::io::Write as _;
        // A program need not read its input.
        let _ = writer.write_all(input.as_bytes());
    });
    Ok(Stdio::from(reader))
}

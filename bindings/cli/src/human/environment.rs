//! The command's own access to the system: the time, the kind of terminal, the user's editor, and a private file for it.
//!
//! The core's clock, environment and files are not accessible to bindings; nothing here is written to a home.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the environment names the editor, whose file is not part of a home"
)]

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chrono::{DateTime, Utc};
use loopmem::{Error, ErrorKind, Result};
use tempfile::TempDir;

/// The current time, relative to which ages are shown.
pub(crate) fn now() -> DateTime<Utc> {
    std::time::SystemTime::now().into()
}

/// The current folder; empty if it is gone.
pub(crate) fn current_folder() -> std::path::PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// Whether the current folder is in a git repository.
pub(crate) fn is_in_repository() -> bool {
    current_folder().ancestors().any(|folder| folder.join(".git").exists())
}

/// A clock that only moves forward.
pub(crate) struct Stopwatch(std::time::Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Stopwatch(std::time::Instant::now())
    }

    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }
}

/// How the command was started.
static START: OnceLock<(Vec<OsString>, Vec<OsString>)> = OnceLock::new();

/// Learns how the command was started: the words of [`program`], which may be none, and its arguments.
pub(crate) fn learn(program: Vec<OsString>, arguments: Vec<OsString>) {
    // A second command in one process would be started in the same way.
    let _ = START.set((program, arguments));
}

/// The words that start this command: the path of this program, unless the command runs within another one.
///
/// # Errors
/// `IOError` if the system does not say; `ValidationError` if it is not UTF-8.
pub(crate) fn program() -> Result<Vec<String>> {
    let text = |word: OsString| {
        word.into_string().map_err(|_| Error::validation("the path of this program is not UTF-8; move it"))
    };
    if let Some((program, _)) = START.get().filter(|(program, _)| !program.is_empty()) {
        return program.iter().cloned().map(text).collect();
    }
    let path = std::env::current_exe()
        .map_err(|cause| Error::new(ErrorKind::Io, "the path of this program is unknown").because_of(&cause))?;
    Ok(vec![text(path.into_os_string())?])
}

/// Starts this program once more in a folder, and does not wait for it. It goes on when this one and its terminal end.
///
/// # Errors
/// `IOError` if it could not be started.
pub(crate) fn start_apart<'a>(arguments: impl Iterator<Item = &'a std::ffi::OsStr>, folder: &str) -> Result<()> {
    use std::process::{Command, Stdio};

    let mut program = program()?.into_iter();
    let mut command = Command::new(program.next().unwrap_or_default());
    command
        .args(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let failed = |cause| Error::new(ErrorKind::Io, "could not start loopmem in the background").because_of(&cause);
    command.spawn().map(drop).map_err(failed)
}

/// The arguments of the command.
pub(crate) fn arguments() -> &'static [OsString] {
    START.get().map_or(&[], |(_, arguments)| arguments)
}

/// The value of a variable; an empty one counts as unset.
///
/// # Errors
/// `ValidationError` if it is not UTF-8.
pub(crate) fn variable(name: &str) -> Result<Option<String>> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    let text = value
        .map(|value| value.into_string().map_err(|_| Error::validation(format!("the variable {name} is not UTF-8"))));
    text.transpose()
}

/// Whether the terminal cannot rewrite a line.
pub(crate) fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_none_or(|kind| kind == "dumb") && !cfg!(windows)
}

/// Whether this process was started with a signal ignored, as by `nohup`; `None` if the system does not say.
#[cfg(unix)]
pub(crate) fn is_ignored(signal: i32) -> Option<bool> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
    Some(mask >> u32::try_from(signal).ok()?.checked_sub(1)? & 1 == 1)
}

/// `$VISUAL`, else `$EDITOR`, else the system's default; and the variable to set for another one.
pub(crate) fn editor() -> (OsString, &'static str) {
    let value = |variable| Some((std::env::var_os(variable).filter(|value| !value.is_empty())?, variable));
    let default = if cfg!(windows) { "notepad" } else { "vi" };
    ["VISUAL", "EDITOR"].into_iter().find_map(value).unwrap_or((default.into(), "EDITOR"))
}

/// A text in a file that only its owner can read, in a separate folder so that an editor's backups are private too.
/// Folder and file are removed on drop.
pub(crate) struct PrivateFile {
    folder: TempDir,
    path: PathBuf,
}

impl PrivateFile {
    /// # Errors
    /// `IOError`.
    pub(crate) fn new(name: &str, text: &str) -> Result<Self> {
        let mut folder = tempfile::Builder::new();
        folder.prefix("loopmem-");
        let mut file = OpenOptions::new();
        file.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
            folder.permissions(fs::Permissions::from_mode(0o700));
            file.mode(0o600);
        }
        let folder =
            folder.tempdir().map_err(|cause| Error::io("create a folder in", &std::env::temp_dir(), &cause))?;
        let path = folder.path().join(name);
        let written = file.open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|cause| Error::io("write", &path, &cause))?;
        Ok(PrivateFile { folder, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its current contents.
    ///
    /// # Errors
    /// `IOError`; `ValidationError` if it is not UTF-8.
    pub(crate) fn read(&self) -> Result<String> {
        let bytes = fs::read(&self.path).map_err(|cause| Error::io("read", &self.path, &cause))?;
        String::from_utf8(bytes).map_err(|_| Error::validation("the text is not UTF-8"))
    }

    /// Replaces the secrets in it, if it can be read.
    pub(crate) fn scrub(&self) {
        if let Ok(text) = self.read() {
            let clean = loopmem::methods::scrub(&text);
            if clean != text {
                // The folder is the user's alone, so what cannot be written stays.
                let _ = fs::write(&self.path, clean.as_bytes());
            }
        }
    }

    /// Keeps the file, and returns its path.
    pub(crate) fn keep(self) -> PathBuf {
        // Disarms the removal of the folder.
        let _ = self.folder.keep();
        self.path
    }
}

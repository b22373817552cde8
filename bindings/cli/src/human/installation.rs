//! `doctor --self`: whether this command is installed so that everything which starts it finds it.

use std::path::Path;

use loopmem::doctor::Severity;
use loopmem::status::Report;
use loopmem::{Error, Result};
use serde::Serialize;

use crate::agents::connect::{self, NAME};
use crate::human::screen::on_one_line;
use crate::human::{environment, git, local_files};
use crate::session::{Members, Session, read};

/// One thing that was checked.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) severity: Severity,
    pub(super) detail: String,
}

impl Check {
    fn info(name: &'static str, detail: impl Into<String>) -> Self {
        Check { name, severity: Severity::Info, detail: detail.into() }
    }

    fn warning(name: &'static str, detail: impl Into<String>) -> Self {
        Check { severity: Severity::Warning, ..Check::info(name, detail) }
    }
}

/// Checks the installation.
///
/// # Errors
/// `ValidationError` and `IOError` for an environment that cannot be read.
pub(super) fn checks(session: &Session<'_>) -> Result<Vec<Check>> {
    let mut checks = vec![version(), program()?, on_path()?, git_of_user()];
    match session.call("status.get", &Members::new()).and_then(|json| read::<Report>(&json)) {
        Ok(status) => {
            checks.push(home(&status));
            checks.push(adapter(&status));
            checks.extend(clients(&status));
        }
        Err(error) => checks.push(failed("home", &error)),
    }
    Ok(checks)
}

fn failed(name: &'static str, error: &Error) -> Check {
    Check { severity: Severity::Error, ..Check::info(name, format!("{error:#}")) }
}

fn version() -> Check {
    let (version, os, arch) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    let library = match () {
        () if cfg!(target_env = "musl") => ", musl",
        () if cfg!(target_env = "gnu") => ", glibc",
        () => "",
    };
    let build = if cfg!(debug_assertions) { "; a development build, which is slow" } else { "" };
    Check::info("version", format!("{version} for {os} on {arch}{library}{build}"))
}

fn program() -> Result<Check> {
    Ok(Check::info("program", environment::program()?.join(" ")))
}

/// The configuration of a project names the command alone, so it is looked for as a client would.
fn on_path() -> Result<Check> {
    let program = environment::program()?;
    let Some(found) = connect::found(NAME)? else {
        return Ok(Check::warning("PATH", "has no `loopmem`: hooks and clients of a project will not find it"));
    };
    let here = program.first().map(Path::new).filter(|path| path.is_absolute());
    let is_same = here.is_none_or(|here| is_same_file(here, &found));
    Ok(match (program.len(), is_same) {
        (1, false) => Check::warning("PATH", format!("has another program of this name first: {}", found.display())),
        _ => Check::info("PATH", found.display().to_string()),
    })
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (local_files::resolved(one), local_files::resolved(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Synchronizing, pushing and merging use the user's own git.
fn git_of_user() -> Check {
    match git::output(Path::new("."), &["--version"]) {
        Ok(version) => Check::info("git", String::from_utf8_lossy(&version).trim().to_owned()),
        Err(error) => Check::warning("git", format!("{error:#}; sync, branch and merging need it")),
    }
}

fn home(status: &Report) -> Check {
    Check::info("home", &status.home)
}

fn adapter(status: &Report) -> Check {
    match &status.adapter.error {
        None => Check::info("adapter", format!("{} answers", status.adapter.name)),
        Some(error) => Check::warning("adapter", format!("{} does not answer: {error}", status.adapter.name)),
    }
}

/// Whether what connected clients start is there.
fn clients(status: &Report) -> Vec<Check> {
    let mut checks = Vec::new();
    for client in &status.clients {
        for file in &client.files {
            let detail = match connect::program_in(&client.name, Path::new(file)) {
                Ok(None) => continue,
                Err(error) => Check::warning("client", format!("{}: {file}: {error:#}", client.name)),
                Ok(Some(program)) => match connect::found(&program) {
                    Ok(Some(_)) => Check::info("client", format!("{} starts {program}", client.name)),
                    _ => Check::warning(
                        "client",
                        format!(
                            "{} starts {program}, which is not there; `loopmem install {}` corrects {file}",
                            client.name, client.name
                        ),
                    ),
                },
            };
            checks.push(Check { detail: on_one_line(&detail.detail), ..detail });
        }
    }
    checks
}

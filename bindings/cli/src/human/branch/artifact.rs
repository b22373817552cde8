//! `branch pack` and `branch unpack`: the files of a memory on their way to another job.

use std::process::ExitCode;

use clap::{ArgMatches, Command, ValueHint};
use loopmem::Result;
use loopmem::methods::Description;
use serde_json::{Value, json};

use super::checkout::short;
use super::entry;
use crate::human::positional;
use crate::human::screen::{FAINT, ID, counted, on_one_line};
use crate::output;
use crate::session::{Members, Session, number, read, text, texts};

/// The param that the positional argument stands for.
const PATH: &str = "artifactPath";

pub(super) fn extend_pack(verb: Command) -> Command {
    let verb =
        positional::instead_of(verb, PATH, "ARTIFACT", "The artifact: a path ending in .tar.zst, .tar.gz or .tar");
    entry::extend(verb, "")
        .about("Writes an artifact of the files of a memory, for another job or machine")
        .mut_arg(PATH, |arg| arg.hide(true))
        .mut_arg("since", |arg| {
            arg.value_name("ARTIFACT")
                .value_hint(ValueHint::FilePath)
                .help("An earlier artifact: what it has is left out")
        })
        .mut_arg("id", |arg| arg.index(2))
}

pub(super) fn extend_unpack(verb: Command) -> Command {
    positional::instead_of(verb, PATH, "ARTIFACT", "The artifact")
        .about("Brings the files of an artifact to the folder of its memory")
        .mut_arg(PATH, |arg| arg.hide(true))
        .mut_arg("directory", |arg| {
            arg.value_name("DIR").value_hint(ValueHint::DirPath).help("The folder [default: that of its memory here]")
        })
}

pub(super) fn run(session: &Session<'_>, description: &Description, verb: &str, args: &ArgMatches) -> Result<ExitCode> {
    let method = format!("branch.{verb}");
    let mut params = match verb {
        "pack" => entry::params(session, description, &method, args)?,
        _ => entry::given(session, description, &method, args)?,
    };
    if let Some(path) = args.get_one::<String>(positional::POSITIONAL) {
        params.insert(PATH.to_owned(), json!(path));
    }
    let json = session.call(&method, &Value::Object(params).to_string())?;
    if session.is_for_humans() {
        let done: Members = read(&json)?;
        output::screen(if verb == "pack" { packed(&done) } else { unpacked(&done) }.trim_end())?;
    } else {
        output::result(json, session.style())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn packed(done: &Members) -> String {
    let path = on_one_line(text(done, PATH));
    if done.get("written") == Some(&Value::Bool(false)) {
        return format!("{ID}{path}{ID:#} is up to date");
    }
    let (files, packed, bytes) = (number(done, "files"), number(done, "packed"), number(done, "bytes"));
    let left_out = if packed < files { format!(", {} of them as they were", files - packed) } else { String::new() };
    format!("{ID}{path}{ID:#}: {}{left_out}, {bytes} bytes", counted(files, "file"))
}

fn unpacked(done: &Members) -> String {
    let folder = on_one_line(text(done, "directory"));
    let changed = texts(done, "changed").count();
    let base = match text(done, "base") {
        "" => "the commit that they come from is not known".to_owned(),
        base => format!("they come from {}", short(base)),
    };
    let files = counted(number(done, "files"), "file");
    format!("{files} in {ID}{folder}{ID:#}, {changed} changed\n{FAINT}{base}{FAINT:#}")
}

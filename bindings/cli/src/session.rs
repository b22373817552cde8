//! The state of one invocation: the opened store, the output format and the current time.

use std::io::{self, IsTerminal};

use chrono::{DateTime, Utc};
use clap::ArgMatches;
use loopmem::methods::{Description, Field, dispatch, redacts};
use loopmem::repos::KnownRepo;
use loopmem::{Error, ErrorKind, Redaction, Result, Store};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::abbreviation;
use crate::human::environment;
use crate::human::progress;
use crate::human::screen::{print_as_tsv, redacted};
use crate::listing::Listing;
use crate::naming::command_name;
use crate::output::{self, Format, Style, notice, track_write};
use crate::typed;

/// The members of an object.
pub(crate) type Members = Map<String, Value>;

/// The params that select a repository.
pub(crate) const REPO: [&str; 3] = ["repoHash", "workspace", "branchScope"];

/// See the [module](self).
pub(crate) struct Session<'s> {
    pub(crate) store: &'s Store,
    /// The method table.
    pub(crate) description: &'s Description,
    pub(crate) style: Style,
    /// The format that was asked for.
    pub(crate) format: Option<Format>,
    /// Which entries of lists are shown.
    pub(crate) listing: Listing,
    /// Whether calls that store something only show what they would redact.
    pub(crate) is_dry_run: bool,
    /// Whether the store was opened as temporary, so that items are bypassed and none is read.
    pub(crate) is_bypassed: bool,
    /// The time relative to which ages are shown.
    pub(crate) now: DateTime<Utc>,
    /// Whether this is the fixed time of the store's clock.
    pub(crate) has_fixed_clock: bool,
}

impl Session<'_> {
    /// The time at this moment, for a command that runs for long.
    pub(crate) fn current_time(&self) -> DateTime<Utc> {
        if self.has_fixed_clock { self.now } else { environment::now() }
    }

    /// Whether results are formatted for reading.
    pub(crate) fn is_for_humans(&self) -> bool {
        self.style == Style::Human && (self.format.is_some() || io::stdout().is_terminal())
    }

    /// Whether a result is a list.
    pub(crate) fn is_list(&self, json: &str) -> bool {
        json.starts_with('[')
    }

    /// Prints a list, as its layout. Elsewhere than on a terminal, or with a format, what is said instead of an empty one is no
    /// entry of it.
    ///
    /// # Errors
    /// `IOError` if standard output cannot be written to.
    pub(crate) fn show_list(&self, json: &str, layout: &str) -> Result<()> {
        let is_for_reading = self.format.is_none() && self.is_for_humans();
        if json == "[]" && !is_for_reading {
            self.emit(&anstream::adapter::strip_str(layout).to_string());
            return Ok(());
        }
        output::screen(layout)
    }

    /// Whether complete results are printed as JSON.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.style == Style::Json
    }

    /// Prints a notice to standard error, unless the output is for programs.
    pub(crate) fn emit(&self, what: &str) {
        if !self.is_for_programs() {
            notice(&format!("loopmem: {what}"));
        }
    }

    /// Prints a result: as `layout` on a terminal, elsewhere a list as its lines, and anything else as JSON.
    ///
    /// # Errors
    /// Those of `layout`; `IOError` if standard output cannot be written to.
    pub(crate) fn show(&self, json: String, layout: impl FnOnce() -> Result<String>) -> Result<()> {
        match self.is_list(&json) {
            _ if self.is_for_programs() => output::line(json),
            true => {
                if !self.is_for_humans() {
                    print_as_tsv();
                }
                self.show_list(&json, &layout()?)
            }
            false if self.is_for_humans() => output::screen(&layout()?),
            false => output::line(json),
        }
    }

    /// Prints an outcome: the complete JSON for programs, `shown` on a terminal, and elsewhere only `plain`.
    ///
    /// # Errors
    /// `IOError` if standard output cannot be written to.
    pub(crate) fn print(&self, json: String, plain: &str, shown: &str) -> Result<()> {
        match () {
            () if self.is_for_programs() => output::line(json),
            () if self.is_for_humans() => output::screen(shown),
            () => output::text(plain),
        }
    }

    /// The params of a method.
    pub(crate) fn fields(&self, method: &str) -> impl Iterator<Item = &Field> {
        fields(self.description, method)
    }

    /// The params of a method that were given as options.
    ///
    /// # Errors
    /// As [`given`](Self::given).
    pub(crate) fn params(&self, method: &str, args: &ArgMatches) -> Result<Members> {
        self.given(self.fields(method), args)
    }

    /// The params that select a repository, as they were given as options.
    ///
    /// # Errors
    /// As [`given`](Self::given).
    pub(crate) fn repo(&self, args: &ArgMatches) -> Result<Members> {
        self.given(repo_fields(self.description), args)
    }

    /// The values of these params that were given as options.
    ///
    /// # Errors
    /// As [`repo_hash`](Self::repo_hash).
    pub(crate) fn given<'f>(&self, fields: impl Iterator<Item = &'f Field>, args: &ArgMatches) -> Result<Members> {
        let mut members = Members::new();
        for field in fields.filter(|field| !self.listing.takes(&field.name)) {
            if let Some(json) = self.value(field, args)? {
                members.insert(field.name.clone(), typed::parsed(field, &json));
            }
        }
        Ok(members)
    }

    fn value(&self, field: &Field, args: &ArgMatches) -> Result<Option<String>> {
        typed::value(field, args, |hash| self.repo_hash(hash))
    }

    /// The method of a command of `room` that is generated from the method table, and its params as JSON, as they were
    /// typed: parsing them into values would round numbers.
    ///
    /// # Errors
    /// As [`repo_hash`](Self::repo_hash); `Misuse` if there is no such command.
    pub(crate) fn generated(&self, room: &str, args: &ArgMatches) -> Result<(&'static str, String)> {
        let found = args.subcommand().and_then(|(verb, args)| {
            let of_verb = |(its_room, its_verb): (&str, &str)| its_room == room && command_name(its_verb) == verb;
            Some((self.description.methods.iter().find(|method| of_verb(method.room_and_verb()))?, args))
        });
        let Some((method, args)) = found else {
            return Err(Error::new(ErrorKind::Misuse, "no such command; see `loopmem --help`"));
        };
        let mut members = Vec::new();
        for field in method.params.fields.iter().filter(|field| !self.listing.takes(&field.name)) {
            if let Some(json) = self.value(field, args).map_err(|error| error.in_operation(method.name))? {
                members.push(format!("\"{}\":{json}", field.name));
            }
        }
        Ok((method.name, format!("{{{}}}", members.join(","))))
    }

    /// Calls a method.
    ///
    /// # Errors
    /// As [`call_json`](Self::call_json).
    pub(crate) fn call(&self, method: &str, params: &Members) -> Result<String> {
        self.call_json(method, &json!(params).to_string())
    }

    /// Calls a method with params as JSON. In a dry run, a method that stores something is not called, and the process
    /// ends.
    ///
    /// # Errors
    /// The method's.
    pub(crate) fn call_json(&self, method: &str, params: &str) -> Result<String> {
        if self.is_dry_run && redacts(method) {
            self.show_preview(&self.preview(method, params)?)?;
            std::process::exit(0);
        }
        let result = track_write(method, dispatch(self.store, method, params));
        progress::clear();
        result.map_err(|error| match error.kind() {
            ErrorKind::SecretRefused => error.scrubbed(with_option),
            _ => error,
        })
    }

    /// Calls a method and reads its result.
    ///
    /// # Errors
    /// The method's.
    pub(crate) fn ask<T: DeserializeOwned>(&self, method: &str, params: &Members) -> Result<T> {
        read(&self.call(method, params)?)
    }

    /// What a call would redact.
    ///
    /// # Errors
    /// The method's, but for those of storing.
    pub(crate) fn preview(&self, method: &str, params: &str) -> Result<Vec<Redaction>> {
        // As typed: parsing it into values would round numbers.
        let asked = format!("{{\"method\":\"{method}\",\"params\":{params}}}");
        read(&dispatch(self.store, "safety.preview", &asked)?)
    }

    /// Shows what calls would redact.
    ///
    /// # Errors
    /// `IOError` if standard output cannot be written to.
    pub(crate) fn show_preview(&self, redactions: &[Redaction]) -> Result<()> {
        if self.is_for_programs() {
            return output::line(json!(redactions).to_string());
        }
        let lines: Vec<String> = redactions.iter().map(|it| format!("would redact {}", redacted(it))).collect();
        output::text(&if lines.is_empty() { "would redact nothing".to_owned() } else { lines.join("\n") })
    }

    /// Expands a prefix of a repository's hash. Text that cannot be one is returned unchanged, for the method to validate.
    ///
    /// # Errors
    /// `ValidationError` if it is ambiguous, or the prefix of no hash.
    pub(crate) fn repo_hash(&self, typed: &str) -> Result<String> {
        let hex = typed.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !hex || !(4..64).contains(&typed.len()) {
            return Ok(typed.to_owned());
        }
        let known: Vec<KnownRepo> = self.ask("repo.list", &Members::new())?;
        let path = |repo: &KnownRepo| repo.path.clone().unwrap_or_default();
        let found = abbreviation::find(typed, &known, |repo| repo.repo_hash.as_str(), path)?;
        let found = found.ok_or_else(|| {
            let message = "nothing is stored under a hash with this prefix; `loopmem repo list` shows those in use";
            Error::new(ErrorKind::NotFound, message)
        })?;
        Ok(found.repo_hash.to_string())
    }
}

/// The params of a method.
pub(crate) fn fields<'d>(description: &'d Description, method: &str) -> impl Iterator<Item = &'d Field> {
    description.methods.iter().find(|it| it.name == method).into_iter().flat_map(|it| &it.params.fields)
}

/// The params that select a repository, from a method that has all of them.
pub(crate) fn repo_fields(description: &Description) -> impl Iterator<Item = &Field> {
    let is_of_repo = |field: &&Field| REPO.contains(&field.name.as_str());
    let method = description.methods.iter().find(|it| it.params.fields.iter().filter(is_of_repo).count() == REPO.len());
    method.into_iter().flat_map(|method| &method.params.fields).filter(is_of_repo)
}

/// The message of a secret that was refused, which says what to pass, as it is on the command line.
pub(crate) fn with_option(message: &str) -> String {
    message.replace("or pass force to store it", "or add --force to store it")
}

/// Parses what a method returned.
///
/// # Errors
/// `Internal`, since methods return what they document.
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json)
        .map_err(|cause| Error::new(ErrorKind::Internal, "a method returned an unexpected result").because(cause))
}

//! The commands of a room that people type: their order in the help, what they do, and the methods that they stand for.

use clap::Command;

/// See the [module](self).
pub(crate) struct Verb {
    name: &'static str,
    /// What it does; empty if the command says so itself.
    about: &'static str,
    /// The methods that messages call by this name, besides the one with the same name.
    methods: &'static [&'static str],
}

/// A command that was described before.
pub(crate) const fn verb(name: &'static str) -> Verb {
    Verb { name, about: "", methods: &[] }
}

impl Verb {
    pub(crate) const fn about(self, about: &'static str) -> Self {
        Verb { about, ..self }
    }

    pub(crate) const fn calls(self, methods: &'static [&'static str]) -> Self {
        Verb { methods, ..self }
    }
}

/// The name under which people know a method of a room, which is named without the room.
pub(crate) fn name_of(verbs: &[Verb], method: &str) -> Option<&'static str> {
    verbs.iter().find(|verb| verb.methods.contains(&method)).map(|verb| verb.name)
}

/// Shows these commands of a room in this order in its help, and only names the others: those are for programs.
pub(crate) fn ordered(room: Command, verbs: &[Verb]) -> Command {
    let mut others = Vec::new();
    let room = room.mut_subcommands(|command| match verbs.iter().position(|verb| verb.name == command.get_name()) {
        Some(place) => {
            let about = verbs.get(place).map(|verb| verb.about).filter(|about| !about.is_empty());
            let command = command.display_order(place);
            match about {
                Some(about) => command.about(about),
                None => command,
            }
        }
        None => {
            others.push(command.get_name().to_owned());
            command.hide(true)
        }
    });
    if others.is_empty() { room } else { room.after_help(format!("For programs: {}", others.join(", "))) }
}

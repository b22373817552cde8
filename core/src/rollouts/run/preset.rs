//! Programs that bring a model along, by a word: how each is asked one question. A table.
//!
//! Each reads the question on standard input and prints the answer. It has no tools and no hooks, and keeps no session, which a
//! later scan would take for one of the user's.

use crate::error::Result;
use crate::home::model_of;

/// A program, and its arguments.
struct Preset {
    name: &'static str,
    arguments: &'static [&'static str],
}

/// Stands for the model in the arguments of a preset that needs one.
const MODEL: &str = "MODEL";

const PRESETS: [Preset; 4] = [
    Preset {
        name: "claude",
        arguments: &[
            "claude",
            "--print",
            "--output-format",
            "text",
            "--tools",
            "",
            "--safe-mode",
            "--strict-mcp-config",
            "--no-session-persistence",
        ],
    },
    Preset {
        name: "codex",
        arguments: &[
            "codex",
            "exec",
            "--ephemeral",
            "--skip-git-repo-check",
            "--sandbox",
            "read-only",
            "--color",
            "never",
            "--config",
            "features.hooks=false",
            "-",
        ],
    },
    Preset { name: "gemini", arguments: &["gemini", "--output-format", "text", "--extensions", "none"] },
    Preset { name: "ollama", arguments: &["ollama", "run", MODEL, "--format", "json", "--nowordwrap"] },
];

/// The command that a word stands for: `claude`, `codex`, `gemini` or `ollama:MODEL`.
///
/// # Errors
/// `ValidationError` for another word.
pub(super) fn command(word: &str) -> Result<Vec<String>> {
    let (name, model) = model_of("with", word)?;
    let preset = PRESETS.iter().find(|preset| preset.name == name);
    let arguments = preset.map_or::<&[&str], _>(&[], |preset| preset.arguments);
    let argument = |it: &&str| if *it == MODEL { model.unwrap_or_default() } else { it }.to_owned();
    Ok(arguments.iter().map(argument).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_command() {
        for Preset { name, arguments } in PRESETS {
            let word = if arguments.contains(&MODEL) { format!("{name}:m") } else { name.to_owned() };
            assert_eq!(command(&word).unwrap()[0], name);
        }
        assert_eq!(command("ollama:llama3.2:3b").unwrap()[..3], ["ollama", "run", "llama3.2:3b"]);
        for word in ["", "gpt", "ollama", "ollama:", "ollama:--help", "ollama:a b", "claude:opus"] {
            assert!(command(word).is_err(), "{word}");
        }
    }
}

//! The clients that can be connected, and what is put into their configuration: a table.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use loopmem::Result;
use serde_json::{Value, json};

use crate::human::environment;

/// A client.
pub(super) struct Client {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// The folder below the user's home that it has where it is used.
    folder: &'static str,
    /// Its files for one project, and those for all projects of the user.
    pub(super) project: &'static [File],
    pub(super) user: &'static [File],
    /// What the user does in the client after a change.
    pub(super) next_step: Option<&'static str>,
}

/// A file of a client's configuration, and what is put there.
pub(super) struct File {
    /// Below the top of the project or the user's home. Of several, the first that exists.
    pub(super) paths: &'static [&'static str],
    pub(super) parts: &'static [Part],
}

/// A part of a configuration.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// The server, as the member `loopmem` of these objects.
    Server(&'static [&'static str], Shape),
    /// The hook of an event, as Claude Code and Codex have it.
    Hook(&'static str),
}

/// How a client describes a server.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A command and its arguments.
    Command,
    /// The same, with the kind of the server.
    Stdio,
    /// Both in one list.
    List,
}

/// The name of the entry.
pub(crate) const NAME: &str = "loopmem";
/// How long Claude Code waits for a hook, in seconds.
const HOOK_TIMEOUT: u64 = 5;

const HOOKS: &[Part] = &[
    Part::Hook("SessionStart"),
    Part::Hook("UserPromptSubmit"),
    Part::Hook("Stop"),
    Part::Hook("PostCompact"),
    Part::Hook("SessionEnd"),
];
/// Codex knows no end of a session.
const HOOKS_OF_CODEX: &[Part] = HOOKS.split_at(4).0;
const OF_CODEX: &[Part] = &[Part::Server(&["mcp_servers"], Shape::Command)];
const OF_MCP_SERVERS: &[Part] = &[Part::Server(&["mcpServers"], Shape::Command)];
const OF_VS_CODE: &[Part] = &[Part::Server(&["servers"], Shape::Stdio)];
const OF_OPENCODE: &[Part] = &[Part::Server(&["mcp"], Shape::List)];

/// The clients.
pub(super) static CLIENTS: [Client; 6] = [
    Client {
        name: "claude-code",
        title: "Claude Code",
        folder: ".claude",
        project: &[
            File { paths: &[".mcp.json"], parts: OF_MCP_SERVERS },
            File { paths: &[".claude/settings.json"], parts: HOOKS },
        ],
        user: &[
            File { paths: &[".claude.json"], parts: &[Part::Server(&["mcpServers"], Shape::Stdio)] },
            File { paths: &[".claude/settings.json"], parts: HOOKS },
        ],
        next_step: None,
    },
    Client {
        name: "codex",
        title: "Codex",
        folder: ".codex",
        project: &[
            File { paths: &[".codex/config.toml"], parts: OF_CODEX },
            File { paths: &[".codex/hooks.json"], parts: HOOKS_OF_CODEX },
        ],
        user: &[
            File { paths: &[".codex/config.toml"], parts: OF_CODEX },
            File { paths: &[".codex/hooks.json"], parts: HOOKS_OF_CODEX },
        ],
        next_step: Some("Codex runs new hooks after you have trusted them: enter /hooks there"),
    },
    Client {
        name: "cursor",
        title: "Cursor",
        folder: ".cursor",
        project: &[File { paths: &[".cursor/mcp.json"], parts: OF_MCP_SERVERS }],
        user: &[File { paths: &[".cursor/mcp.json"], parts: OF_MCP_SERVERS }],
        next_step: None,
    },
    Client {
        name: "vscode",
        title: "VS Code",
        folder: VS_CODE_FOLDER,
        project: &[File { paths: &[".vscode/mcp.json"], parts: OF_VS_CODE }],
        user: &[File { paths: VS_CODE, parts: OF_VS_CODE }],
        next_step: None,
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        folder: ".gemini",
        project: &[File { paths: &[".gemini/settings.json"], parts: OF_MCP_SERVERS }],
        user: &[File { paths: &[".gemini/settings.json"], parts: OF_MCP_SERVERS }],
        next_step: None,
    },
    Client {
        name: "opencode",
        title: "OpenCode",
        folder: ".config/opencode",
        project: &[File { paths: &["opencode.json", "opencode.jsonc"], parts: OF_OPENCODE }],
        user: &[File {
            paths: &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
            parts: OF_OPENCODE,
        }],
        next_step: None,
    },
];

#[cfg(target_os = "macos")]
const VS_CODE_FOLDER: &str = "Library/Application Support/Code/User";
#[cfg(target_os = "macos")]
const VS_CODE: &[&str] = &["Library/Application Support/Code/User/mcp.json"];
#[cfg(not(target_os = "macos"))]
const VS_CODE_FOLDER: &str = ".config/Code/User";
#[cfg(not(target_os = "macos"))]
const VS_CODE: &[&str] = &[".config/Code/User/mcp.json"];

/// Folders that a variable moves, and the variables.
const MOVED: [(&str, &str); 3] =
    [(".codex", "CODEX_HOME"), (".claude", "CLAUDE_CONFIG_DIR"), (".config", "XDG_CONFIG_HOME")];

/// A path below the user's folder, wherever the client has it.
///
/// # Errors
/// `ValidationError` for a variable that is not UTF-8.
pub(super) fn of_user(home: &Path, path: &str) -> Result<PathBuf> {
    for (folder, name) in MOVED {
        let Some(moved) = environment::variable(name)? else { continue };
        if let Ok(rest) = Path::new(path).strip_prefix(folder) {
            return Ok(Path::new(&moved).join(rest));
        }
        // Beside the folder, unless that is moved: then in it.
        if path == ".claude.json" && folder == ".claude" {
            return Ok(Path::new(&moved).join(path));
        }
    }
    Ok(home.join(path))
}

impl Client {
    /// Where it keeps its own files, which shows that it is used.
    ///
    /// # Errors
    /// As [`of_user`].
    pub(super) fn folder(&self, home: &Path) -> Result<PathBuf> {
        of_user(home, self.folder)
    }
}

/// How a client starts loopmem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start<'s> {
    /// The words that start it, such as `loopmem` or `npx -y loopmem`.
    pub(super) program: &'s [&'s str],
    /// The home, if that is not the usual one.
    pub(super) home: Option<&'s str>,
}

impl Start<'_> {
    /// The arguments before those of the command.
    fn options(&self) -> impl Iterator<Item = &str> {
        self.home.into_iter().flat_map(|home| ["--home", home])
    }
}

impl Shape {
    /// The command of a server, with its arguments.
    fn words(self, value: &Value) -> Vec<&str> {
        let (program, rest) = match self {
            Shape::List => (None, &value["command"]),
            Shape::Command | Shape::Stdio => (Some(&value["command"]), &value["args"]),
        };
        program.into_iter().chain(rest.as_array().into_iter().flatten()).filter_map(Value::as_str).collect()
    }
}

impl Part {
    /// What it is called in a message.
    pub(super) fn title(self) -> String {
        match self {
            Part::Server(of, _) => format!("{}.{NAME}", of.join(".")),
            Part::Hook(event) => format!("the hook of {event}"),
        }
    }

    /// What is put there.
    pub(super) fn value(self, start: Start<'_>) -> Value {
        let words = || start.program.iter().copied().chain(start.options());
        let command: Vec<&str> = words().chain(["mcp"]).collect();
        match self {
            Part::Server(_, Shape::Command) => json!({ "command": command[0], "args": command[1..] }),
            Part::Server(_, Shape::Stdio) => json!({ "type": "stdio", "command": command[0], "args": command[1..] }),
            Part::Server(_, Shape::List) => json!({ "type": "local", "command": command, "enabled": true }),
            Part::Hook(event) => {
                let words = words().map(quoted).chain(["hook".to_owned(), event.to_owned()]);
                let command = words.collect::<Vec<_>>().join(" ");
                json!({ "hooks": [{ "type": "command", "command": command, "timeout": HOOK_TIMEOUT }] })
            }
        }
    }

    /// Whether a value there starts loopmem, wherever the program is, and whatever else the user has added.
    pub(super) fn is_ours(self, value: &Value) -> bool {
        match self {
            Part::Server(_, shape) => {
                without_program(&shape.words(value)).is_some_and(|arguments| arguments.contains(&"mcp"))
            }
            Part::Hook(event) => {
                let hooks = value["hooks"].as_array();
                hooks.is_some_and(|hooks| hooks.iter().any(|hook| is_hook(hook, event)))
            }
        }
    }

    /// The program that a server of ours is started with.
    pub(super) fn program(self, value: &Value) -> Option<String> {
        let Part::Server(_, shape) = self else { return None };
        shape.words(value).first().map(|program| (*program).to_owned())
    }

    /// A value of ours as it should be: what the user has added stays.
    pub(super) fn renewed(self, there: &Value, start: Start<'_>) -> Value {
        let (mut renewed, value) = (there.clone(), self.value(start));
        match self {
            Part::Server(_, shape) => {
                let list = if matches!(shape, Shape::List) { "command" } else { "args" };
                renewed["command"] = value["command"].clone();
                // Behind `mcp`, options of the user's may follow.
                let mut all: Vec<Value> = value[list].as_array().cloned().unwrap_or_default();
                let there = there[list].as_array().into_iter().flatten();
                all.extend(there.skip_while(|it| *it != "mcp").skip(1).cloned());
                renewed[list] = all.into();
            }
            Part::Hook(event) => {
                let hooks = renewed["hooks"].as_array_mut().into_iter().flatten();
                for hook in hooks.filter(|hook| is_hook(hook, event)) {
                    hook["command"] = value["hooks"][0]["command"].clone();
                }
            }
        }
        renewed
    }

    /// What is left of a value of ours without what loopmem put there; `None` if nothing is.
    pub(super) fn without(self, there: &Value) -> Option<Value> {
        let Part::Hook(event) = self else { return None };
        let mut rest = there.clone();
        let hooks = rest["hooks"].as_array_mut()?;
        hooks.retain(|hook| !is_hook(hook, event));
        (!hooks.is_empty()).then_some(rest)
    }
}

/// Whether a hook is that of loopmem for an event: what `value` writes, wherever the program is, and no more.
fn is_hook(hook: &Value, event: &str) -> bool {
    let Some(words) = hook["command"].as_str().and_then(words) else { return false };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match without_program(&words) {
        Some(["--home", _, "hook", of] | ["hook", of]) => *of == event,
        _ => false,
    }
}

/// The arguments of a command that starts loopmem in one of the ways in which it starts itself; `None` for another command.
fn without_program<'w, 's>(words: &'w [&'s str]) -> Option<&'w [&'s str]> {
    let stem = |word: &str| Path::new(word).file_stem().and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let is_program = |word: &str| {
        let extension = Path::new(word).extension().and_then(OsStr::to_str);
        stem(word) == NAME && matches!(extension, None | Some("exe" | "cmd"))
    };
    // With or without a version.
    let is_package =
        |word: &str| word.strip_prefix(NAME).is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '=']));
    let is_script = |word: &str| Path::new(word).ends_with("loopmem/dist/command.cjs");
    match words {
        [program, rest @ ..] if is_program(program) => Some(rest),
        [npx, "-y", package, rest @ ..] if stem(npx) == "npx" && is_package(package) => Some(rest),
        [runner, package, rest @ ..] if ["npx", "uvx"].contains(&&*stem(runner)) && is_package(package) => Some(rest),
        [python, "-m", NAME, rest @ ..] if stem(python).starts_with("python") => Some(rest),
        [node, script, rest @ ..] if stem(node) == "node" && is_script(script) => Some(rest),
        _ => None,
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@".contains(&byte);
    if word.bytes().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// The words of a command as [`quoted`] writes them; `None` for one that a shell would not take for words alone.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    let mut rest = command.chars();
    while let Some(character) = rest.next() {
        let word = words.last_mut()?;
        match character {
            '\'' => is_quoted = !is_quoted,
            _ if is_quoted => word.push(character),
            ' ' => words.push(String::new()),
            '\\' => word.push(rest.next()?),
            _ if "&|;<>()`\"*?[]#\n\t".contains(character) => return None,
            _ => word.push(character),
        }
    }
    words.retain(|word| !word.is_empty());
    (!is_quoted).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_there_is_recognized_and_renewed() {
        let parts = CLIENTS.iter().flat_map(|client| client.project.iter().chain(client.user)).flat_map(|it| it.parts);
        let now = Start { program: &[NAME], home: None };
        for part in parts {
            for program in [
                &["loopmem"][..],
                &["/opt/a b/it's/loopmem"],
                &["npx", "-y", "loopmem@1"],
                &["python", "-m", "loopmem"],
            ] {
                for home in [None, Some("/my home")] {
                    let mut value = part.value(Start { program, home });
                    assert!(part.is_ours(&value), "{value}");
                    assert_eq!(part.without(&value), None);
                    // What the user adds stays.
                    value["env"] = json!({ "A": "b" });
                    let list = if value["args"].is_array() { "args" } else { "command" };
                    let arguments = value.get_mut(list).and_then(Value::as_array_mut);
                    arguments.into_iter().for_each(|all| all.push(json!("--read-only")));
                    assert!(part.is_ours(&value), "{value}");
                    let mut expected = part.value(now);
                    expected["env"] = json!({ "A": "b" });
                    let arguments = expected.get_mut(list).and_then(Value::as_array_mut);
                    arguments.into_iter().for_each(|all| all.push(json!("--read-only")));
                    assert_eq!(part.renewed(&value, now), expected);
                }
            }
            let other = part.value(Start { program: &["/usr/bin/other"], home: None });
            for other in [json!(null), json!({}), other, json!({ "command": "loopmem" })] {
                assert!(!part.is_ours(&other), "{part:?} {other}");
            }
        }
    }

    #[test]
    fn what_only_mentions_loopmem_is_somebody_elses() {
        let server = Part::Server(&["mcpServers"], Shape::Command);
        for other in [
            json!({ "command": "npx", "args": ["-y", "@acme/loopmem", "mcp"] }),
            json!({ "command": "docker", "args": ["run", "--name", "loopmem", "image", "mcp"] }),
            json!({ "command": "uv", "args": ["run", "--directory", "/src/loopmem", "server.py", "mcp"] }),
            json!({ "command": "node", "args": ["/srv/loopmem.js", "mcp"] }),
            json!({ "command": "/srv/loopmem.py", "args": ["mcp"] }),
        ] {
            assert!(!server.is_ours(&other), "{other}");
        }
        for other in [
            "cd /srv && FOO=1 timeout 3 loopmem hook Stop",
            "notify-send loopmem hook Stop",
            "loopmem hook Stop; say done",
            "loopmem hook Stop > /tmp/log",
            "loopmem --adapter sqlite hook Stop",
            "loopmem hook 'Stop",
        ] {
            assert!(!is_hook(&json!({ "type": "command", "command": other }), "Stop"), "{other}");
        }
        for ours in
            ["~/bin/loopmem hook Stop", "$HOME/bin/loopmem --home $HOME/m hook Stop", "uvx loopmem==1.2 hook Stop"]
        {
            assert!(is_hook(&json!({ "type": "command", "command": ours }), "Stop"), "{ours}");
        }
    }

    #[test]
    fn another_hook_of_the_same_group_stays() {
        let part = Part::Hook("Stop");
        let mut value = part.value(Start { program: &[NAME], home: None });
        let other = json!({ "type": "command", "command": "say done" });
        value["hooks"].as_array_mut().unwrap().push(other.clone());
        assert!(part.is_ours(&value));
        assert_eq!(part.without(&value), Some(json!({ "hooks": [other] })));
    }
}

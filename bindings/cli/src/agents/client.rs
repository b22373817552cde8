//! The clients that can be connected, and what each is told: a table.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// A client.
pub(super) struct Client {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// The folder below the user's home that it has where it is used.
    folder: &'static str,
    /// Its files for one project, and those for all projects of the user.
    pub(super) project: &'static [File],
    pub(super) user: &'static [File],
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
    /// The hook of an event of Claude Code.
    Hook(&'static str),
    /// What Codex runs after each turn.
    Notify,
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
pub(super) const NAME: &str = "loopmem";
/// How long Claude Code waits for a hook, in seconds.
const HOOK_TIMEOUT: u64 = 5;

const HOOKS: &[Part] = &[
    Part::Hook("SessionStart"),
    Part::Hook("UserPromptSubmit"),
    Part::Hook("Stop"),
    Part::Hook("PostCompact"),
    Part::Hook("SessionEnd"),
];
const CODEX: &[Part] = &[Part::Server(&["mcp_servers"], Shape::Command), Part::Notify];
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
    },
    Client {
        name: "codex",
        title: "Codex",
        folder: ".codex",
        project: &[File { paths: &[".codex/config.toml"], parts: &[Part::Server(&["mcp_servers"], Shape::Command)] }],
        user: &[File { paths: &[".codex/config.toml"], parts: CODEX }],
    },
    Client {
        name: "cursor",
        title: "Cursor",
        folder: ".cursor",
        project: &[File { paths: &[".cursor/mcp.json"], parts: OF_MCP_SERVERS }],
        user: &[File { paths: &[".cursor/mcp.json"], parts: OF_MCP_SERVERS }],
    },
    Client {
        name: "vscode",
        title: "VS Code",
        folder: VS_CODE_FOLDER,
        project: &[File { paths: &[".vscode/mcp.json"], parts: OF_VS_CODE }],
        user: &[File { paths: VS_CODE, parts: OF_VS_CODE }],
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        folder: ".gemini",
        project: &[File { paths: &[".gemini/settings.json"], parts: OF_MCP_SERVERS }],
        user: &[File { paths: &[".gemini/settings.json"], parts: OF_MCP_SERVERS }],
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

impl Client {
    /// Where it keeps its own files, which shows that it is used.
    pub(super) fn folder(&self, home: &Path) -> PathBuf {
        home.join(self.folder)
    }
}

impl Part {
    /// What it is called in a message.
    pub(super) fn title(self) -> String {
        match self {
            Part::Server(of, _) => format!("{}.{NAME}", of.join(".")),
            Part::Hook(event) => format!("the hook of {event}"),
            Part::Notify => "notify".to_owned(),
        }
    }

    /// What is put there, for this program.
    pub(super) fn value(self, program: &str) -> Value {
        match self {
            Part::Server(_, Shape::Command) => json!({ "command": program, "args": ["mcp"] }),
            Part::Server(_, Shape::Stdio) => json!({ "type": "stdio", "command": program, "args": ["mcp"] }),
            Part::Server(_, Shape::List) => json!({ "type": "local", "command": [program, "mcp"], "enabled": true }),
            Part::Hook(event) => {
                let command = format!("{} hook {event}", quoted(program));
                json!({ "hooks": [{ "type": "command", "command": command, "timeout": HOOK_TIMEOUT }] })
            }
            Part::Notify => json!([program, "hook", "agent-turn-complete"]),
        }
    }

    /// Whether loopmem put a value there, wherever the program was then.
    pub(super) fn is_ours(self, value: &Value) -> bool {
        let program = match self {
            Part::Server(_, Shape::List) => value["command"][0].as_str().map(str::to_owned),
            Part::Server(..) => value["command"].as_str().map(str::to_owned),
            Part::Hook(event) => {
                let command = value["hooks"][0]["command"].as_str().unwrap_or_default();
                command.strip_suffix(&format!(" hook {event}")).map(unquoted)
            }
            Part::Notify => value[0].as_str().map(str::to_owned),
        };
        let is_of = |program: &String| {
            Path::new(program).file_stem().is_some_and(|stem| stem == NAME) && *value == self.value(program)
        };
        program.as_ref().is_some_and(is_of)
    }
}

/// A path for a shell.
fn quoted(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:\\".contains(&byte);
    if path.bytes().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

fn unquoted(path: &str) -> String {
    match path.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_there_is_recognized_wherever_the_program_was() {
        let parts = CLIENTS.iter().flat_map(|client| client.project.iter().chain(client.user)).flat_map(|it| it.parts);
        for part in parts {
            for program in ["loopmem", "/opt/a b/it's/loopmem", "C:\\bin\\loopmem"] {
                let value = part.value(program);
                // The path of another system has no names here.
                assert!(part.is_ours(&value) || program.contains('\\'), "{part:?} {program}");
            }
            for other in [json!(null), json!({}), part.value("/usr/bin/other"), json!({ "command": "loopmem" })] {
                assert!(!part.is_ours(&other), "{part:?} {other}");
            }
        }
    }
}

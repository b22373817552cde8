//! `loopmem mcp`: a server of the Model Context Protocol, by which agents use loopmem without code.
//!
//! A tool call becomes calls of the method table. The library is synchronous, so each runs on a thread of its own, and the
//! server goes on answering: a call that waits for a lock delays no other.

mod caller;
mod definitions;
mod http;
mod opening;
mod progress;
mod prompts;
mod records;
mod resources;
mod schema;
mod search;
mod server;
mod server_memory;
mod tools;
mod turns;
mod watch;
mod work;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::{Error, ErrorKind, Result, Store};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt as _};

use crate::human::arguments::{argument, flag, option};
use crate::human::{environment, local_files};
use crate::output::ExitCode;
use opening::Opening;
use server::{MAX_MESSAGE_BYTES, Server};
use server_memory::ServerMemory;
use tokio::runtime::Runtime;

const ABOUT: &str = "\
Serves the Model Context Protocol on standard input and output, for agents such as Claude Code, Codex or Cursor.

An agent's configuration names the command `loopmem` with the argument `mcp`. The repository is that of the folder in which \
the server is started, of --workspace, or of the argument `workspace` of a tool. No memory is stored \
before a tool is called that stores it. Many servers, and everything else that uses loopmem, may have the same home open at once.

With --as server-memory, it stands in for the reference server `@modelcontextprotocol/server-memory`: the same nine tools on \
the same file, but no write is lost when several servers run, no secret is stored, and a damaged line does no harm.

With --http, it serves clients on this machine that have a token: that of the variable LOOPMEM_MCP_TOKEN, or a new one, which \
is printed with the address.";

/// The command `mcp`.
pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("Serves the Model Context Protocol, for agents")
        .long_about(ABOUT)
        .arg(
            option("workspace", "DIR", "A folder in the repository [default: the current folder]")
                .value_hint(clap::ValueHint::DirPath),
        )
        .arg(
            option("http", "PORT", "Serves streamable HTTP on this port of 127.0.0.1 instead; 0 chooses one")
                .value_parser(value_parser!(u16)),
        )
        .arg(flag("readOnly", "Offers only the tools that store nothing").long("read-only"))
        .arg(
            Arg::new("tools")
                .long("tools")
                .value_name("NAME,…")
                .help("Offers only these tools [default: all]")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .value_parser(value_parser!(String)),
        )
        .arg(
            option("as", "SERVER", "Offers the tools of another server, on its own file")
                .value_parser(["server-memory"])
                .conflicts_with_all(["workspace", "http", "readOnly", "tools"]),
        )
        .arg(
            argument("file", "FILE", "The file of server-memory [default: $MEMORY_FILE_PATH, or one in the home]")
                .requires("as")
                .value_hint(clap::ValueHint::FilePath)
                .value_parser(value_parser!(PathBuf)),
        )
}

/// Serves until the input ends.
///
/// # Errors
/// `ValidationError` for a tool that does not exist; `IOError` if the server cannot start.
pub(crate) fn run(store: &Store, timeout: Option<Duration>, args: &ArgMatches) -> Result<ExitCode> {
    let names = args.get_many::<String>("tools").map(|names| names.map(|name| name.trim()).collect::<Vec<_>>());
    let tools = tools::offered(names.as_deref(), args.get_flag("readOnly"))?;
    let (store, workspace) = (store.clone(), args.get_one::<String>("workspace").cloned());
    if let Some(folder) = workspace.as_ref().filter(|folder| !local_files::is_folder(Path::new(folder))) {
        return Err(Error::validation(format!("--workspace: there is no folder {folder:?}")));
    }
    if args.contains_id("as") {
        let set = environment::variable(server_memory::FILE_VARIABLE)?.filter(|path| !path.is_empty());
        let named = args.get_one::<PathBuf>("file").cloned().or(set.map(PathBuf::from));
        return serve(runtime()?, ServerMemory::new(&store, timeout, named.as_deref())?);
    }
    let server = move || Server::new(store.clone(), timeout, workspace.clone(), tools.clone());
    let runtime = runtime()?;
    if let Some(port) = args.get_one::<u16>("http") {
        return runtime.block_on(http::serve(*port, args.get_flag("json"), server)).map(|()| ExitCode::SUCCESS);
    }
    serve(runtime, server())
}

fn runtime() -> Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    runtime.map_err(|cause| Error::new(ErrorKind::Io, "the server could not start").because_of(&cause))
}

/// Serves one client on standard input and output until the input ends.
fn serve(runtime: Runtime, server: impl ServerHandler) -> Result<ExitCode> {
    let served = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_MESSAGE_BYTES);
        // A client that leaves before it has introduced itself is no error.
        let Ok(running) = server.serve(Opening::new(transport)).await else { return Ok(()) };
        running.waiting().await.map(drop)
    });
    // A thread that reads standard input cannot be ended.
    runtime.shutdown_background();
    served.map_err(|_| Error::new(ErrorKind::Internal, "the server ended unexpectedly"))?;
    Ok(ExitCode::SUCCESS)
}

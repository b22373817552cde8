//! libloopmem as its hosts see it: real C and C++ programs (`tests/c`, `tests/cpp`, `examples/c`, `examples/cpp`),
//! compiled without warnings, linked with the shared and with the static library, and run.
//!
//! Needs `cc`, `c++` and `nm`. Uses clang and valgrind if available, and says so if not.

// The programs' file names, the linker flags and `nm` are specific to Linux; other systems are untested.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "a test starts programs and looks at their files itself")]
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "a test")]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use loopmem_conformance::{Face, LineProcess, play_all};
use serde_json::Value;
use tempfile::TempDir;

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

#[test]
fn the_shared_library_exports_the_snapshot_and_nothing_else() {
    let bench = Bench::new();
    let output = run(Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(&bench.shared));
    let exported: Vec<_> = output.lines().filter_map(|line| line.split(' ').next()).collect();
    // Hosts find functions by name: a missing one breaks them, and an extra one may collide with theirs.
    let snapshot = std::fs::read_to_string(root().join("tests/c/symbols.txt")).expect("the snapshot");
    assert_eq!(exported, snapshot.lines().collect::<Vec<_>>());
    assert!(exported.iter().all(|name| name.starts_with("loopmem_")));
}

/// With `LOOPMEM_WRITE=1`, writes the snapshot instead.
#[test]
fn the_sizes_of_structs_are_those_of_the_snapshot() {
    let bench = Bench::new();
    let header = std::fs::read_to_string(root().join("include/loopmem.h")).expect("the header");
    let names = header.lines().filter_map(|line| line.strip_prefix("} ")?.strip_suffix(';'));
    let lines: Vec<_> = names.map(|name| format!("  printf(\"{name} %zu\\n\", sizeof({name}));\n")).collect();
    assert!(lines.len() > 100, "the header has structs");
    let source = bench.folder.path().join("sizes.c");
    let text = format!("#include <stdio.h>\n#include \"loopmem.h\"\nint main(void) {{\n{}}}\n", lines.concat());
    std::fs::write(&source, text).expect("the program is written");
    let source = source.to_str().expect("a path in UTF-8");
    let sizes = run(&mut bench.command(bench.compile(&CC, "sizes", &[source], Link::Shared)));
    let snapshot = root().join("tests/c/sizes.txt");
    if std::env::var_os("LOOPMEM_WRITE").is_some() {
        std::fs::write(&snapshot, &sizes).expect("the snapshot is written");
    }
    // docs/ABI.md says how structs of the binary interface may change. The others may grow; the changelog says when.
    let expected = std::fs::read_to_string(snapshot).expect("the snapshot");
    let changed: Vec<_> = sizes.lines().filter(|line| !expected.lines().any(|it| it == *line)).collect();
    assert!(changed.is_empty() && sizes.len() == expected.len(), "LOOPMEM_WRITE=1 updates it: {changed:#?}");
}

#[test]
fn the_headers_are_clean_alone_and_twice_in_every_dialect() {
    let bench = Bench::new();
    for compilers in compilers() {
        for (header, language, standards) in [
            ("loopmem.h", "c", ["c11", "c17"].as_slice()),
            ("loopmem.h", "c++", &["c++17", "c++20"]),
            ("loopmem.hpp", "c++", &["c++17", "c++20"]),
            ("loopmem/host.hpp", "c++", &["c++17", "c++20"]),
            ("loopmem/memory_store.hpp", "c++", &["c++17", "c++20"]),
        ] {
            for standard in standards {
                let mut command = Command::new(compilers.of(language));
                command.args(WARNINGS).args(["-fsyntax-only", "-x", language]).arg(format!("-std={standard}"));
                command.arg("-I").arg(root().join("include")).args(["-include", header, "-include", header]);
                run(command.arg("/dev/null"));
            }
        }
    }
    let program = bench.compile(&CC, "twice", &["tests/c/twice_a.c", "tests/c/twice_b.c"], Link::Shared);
    run(&mut bench.command(&program));
}

#[test]
fn bad_input_from_c_is_an_answer_and_never_a_crash() {
    let bench = Bench::new();
    bench.run_every_way("misuse", &["tests/c/misuse.c"], &["100000000"]);
}

#[test]
fn what_a_typed_function_takes_comes_back_as_it_was() {
    let bench = Bench::new();
    bench.run_every_way("typed", &["tests/c/typed.c"], &[]);
}

#[test]
fn threads_lose_no_write_and_cancelling_ends_a_wait() {
    let bench = Bench::new();
    bench.run_every_way("threads", &["tests/c/threads.c"], &[]);
}

#[test]
fn a_forked_child_uses_what_it_inherits_whatever_the_threads_of_its_parent_do() {
    let bench = Bench::new();
    bench.run_every_way("forks", &["tests/c/forks.c"], &[]);
}

#[test]
fn a_c_host_keeps_working_contexts_in_a_table_of_its_own() {
    let bench = Bench::new();
    bench.run_every_way("adapter", &["tests/c/adapter.c"], &[]);
}

#[test]
fn a_cpp_host_keeps_working_contexts_in_an_object_of_its_own() {
    let bench = Bench::new();
    bench.run_every_way("cpp_adapter", &["tests/cpp/adapter.cpp"], &[]);
}

#[test]
fn a_c_host_counts_tokens_with_a_tokenizer_of_its_own() {
    let bench = Bench::new();
    bench.run_every_way("tokenizer", &["tests/c/tokenizer.c"], &[]);
}

#[test]
fn a_cpp_host_gets_objects_and_exceptions() {
    let bench = Bench::new();
    bench.run_every_way("cpp_host", &["tests/cpp/host.cpp"], &[]);
}

#[test]
#[ignore = "takes minutes; see scripts/torture hosts"]
fn valgrind_finds_no_bad_access_and_no_leak_in_c() {
    // A hundred megabytes take valgrind minutes; two exceed the limit of a record just as well. Forks are excluded:
    // what the parent's threads held at that moment is a leak in the child.
    run_under_valgrind(&[
        ("tests/c/misuse.c", &["2000000"]),
        ("tests/c/typed.c", &[]),
        ("tests/c/threads.c", &[]),
        ("tests/c/adapter.c", &[]),
        ("tests/c/tokenizer.c", &[]),
    ]);
}

#[test]
#[ignore = "takes minutes; see scripts/torture hosts"]
fn valgrind_finds_no_bad_access_and_no_leak_in_cpp() {
    run_under_valgrind(&[("tests/cpp/host.cpp", &[]), ("tests/cpp/adapter.cpp", &[])]);
}

#[test]
#[ignore = "takes a minute; see scripts/torture hosts"]
fn the_sanitizers_of_addresses_and_undefined_behaviour_find_nothing() {
    for (compilers, link) in ways() {
        for (source, arguments) in [
            ("tests/c/misuse.c", ["2000000"].as_slice()),
            ("tests/c/typed.c", &[]),
            ("tests/c/threads.c", &[]),
            ("tests/c/adapter.c", &[]),
            ("tests/c/tokenizer.c", &[]),
            ("tests/cpp/host.cpp", &[]),
            ("tests/cpp/adapter.cpp", &[]),
        ] {
            let bench = Bench { flags: &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], ..Bench::new() };
            let program = bench.compile(&compilers, "sanitized_host", &[source], link);
            let home = bench.folder();
            run(bench.command(&program).arg(home.path()).args(arguments));
        }
    }
}

/// Runs programs under valgrind, each of which gets an empty folder and its arguments.
fn run_under_valgrind(programs: &[(&str, &[&str])]) {
    let bench = Bench::new();
    for (source, arguments) in programs {
        let program = bench.compile(&CC, "valgrind_host", &[source], Link::Shared);
        let home = bench.folder();
        let mut command = bench.command("valgrind");
        command.args(["--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
        run(command.arg(&program).arg(home.path()).args(*arguments));
    }
}

/// The conformance cases, through `host serve`: a host for the calls of a store.
struct CHost {
    bench: Bench,
    program: PathBuf,
    serving: Option<(String, LineProcess)>,
}

impl Face for CHost {
    fn call(&mut self, options: &str, method: &str, params: &str) -> Result<String, String> {
        let mut serving = match self.serving.take() {
            Some((of, serving)) if of == options => serving,
            _ => {
                let mut serving = LineProcess::start(self.bench.command(&self.program).args(["serve", options]))?;
                answer(&mut serving)?;
                serving
            }
        };
        serving.send(&format!("{method}\n{params}\n0"));
        let answer = answer(&mut serving);
        self.serving = Some((options.to_owned(), serving));
        answer
    }
}

/// The next answer of a host; the error of one that is not a success.
fn answer(host: &mut LineProcess) -> Result<String, String> {
    let answer = host.receive().expect("an answer");
    let (status, json) = answer.split_once(' ').expect("a status");
    if status == "0" { Ok(json.to_owned()) } else { Err(json.to_owned()) }
}

#[test]
fn a_c_host_keeps_every_conformance_case() {
    let bench = Bench::new();
    let program = bench.compile(&CC, "host", &["tests/c/host.c"], Link::Shared);
    play_all(&mut CHost { bench, program, serving: None });
}

#[test]
fn a_c_host_serves_calls_line_by_line() {
    let bench = Bench::new();
    for (compilers, link) in ways() {
        let program = bench.compile(&compilers, "host", &["tests/c/host.c"], link);
        let home = bench.folder();
        let options = serde_json::json!({ "home": home.path().join("home") }).to_string();
        let repo = "b".repeat(64);
        let upsert = format!(r#"{{"repoHash":"{repo}","convention":{{"id":"1","title":"a\nb","content":"c"}}}}"#);
        let get = format!("{{\"repoHash\":\"{repo}\"}}");
        let requests = [
            ["memory.upsertConvention".as_bytes(), upsert.as_bytes(), b"0"],
            [b"memory.get", get.as_bytes(), b"5000"],
            [b"memory.nothing", b"", b"0"],
            [b"memory.get", b"{\"repoHash\":\"\xff\0\r\"}", b"0"],
        ];
        let input: Vec<u8> = requests.iter().flatten().flat_map(|line| [line, b"\n".as_slice()].concat()).collect();

        let mut command = bench.command(&program);
        let output = run_with(command.arg("serve").arg(&options), &input);
        let answers = answers(&output);
        assert_eq!(answers.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [0, 0, 0, 1, 1]);
        assert_eq!(answers[0].1, Value::Null);
        assert_eq!(answers[1].1["title"], "a\nb");
        assert_eq!(answers[2].1["conventions"][0], answers[1].1);
        assert_eq!(answers[4].1["message"], "params is not UTF-8: byte 13 is wrong");

        // Line breaks inside a hand-edited record do not break the answer into lines.
        let file = home.path().join("home/repos").join(&repo).join("memory.json");
        let stored = std::fs::read_to_string(&file).expect("the stored memory");
        std::fs::write(&file, stored.replace(r#""content":"#, "\n  \"content\":\n")).expect("an edited memory");
        let output = run_with(&mut command, &[b"memory.get\n", get.as_bytes(), b"\n0\n"].concat());
        assert_eq!(self::answers(&output)[1].1, answers[2].1);

        // A request that cannot be answered ends the program with a message.
        for (options, input, code, reason) in [
            ("[]", "", 1, ""),
            ("{}", "memory.get\n", 2, "three lines"),
            ("{}", "memory.get\n{}\nsoon\n", 2, "milliseconds"),
            ("{}", "memory\0get\n{}\n0\n", 2, "NUL"),
            ("{}", "memory.get\n{}\n0", 2, "incomplete"),
        ] {
            let output = start(bench.command(&program).args(["serve", options]), input.as_bytes());
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(code), "{input:?}: {why}");
            assert!(why.contains(reason), "{input:?}: {why}");
        }
    }
}

#[test]
fn the_quickstarts_run_as_they_stand() {
    let bench = Bench::new();
    for source in ["examples/c/quickstart.c", "examples/cpp/quickstart.cpp"] {
        for (compilers, link) in ways() {
            let program = bench.compile(&compilers, "quickstart", &[source], link);
            let folder = bench.folder();
            let home = folder.path().join("home");
            // Once with an explicit home, once with the default one.
            for (argument, expected) in [(Some(&home), home.clone()), (None, folder.path().join(".codex-toolloop"))] {
                let mut command = bench.command(&program);
                command.current_dir(folder.path()).env("HOME", folder.path()).args(argument);
                let output = run(&mut command);
                let pack = output.lines().find(|line| line.starts_with("pack: ")).expect("a pack is printed");
                assert!(
                    pack.contains("Errors name their file") && pack.contains("Stored a convention from C"),
                    "{pack}"
                );
                assert!(expected.join("repos").is_dir(), "{} was not written", expected.display());
            }
        }
    }
}

#[test]
fn the_tool_loops_know_in_a_second_run_what_the_first_one_remembered() {
    let bench = Bench::new();
    for source in ["examples/c/tool_loop.c", "examples/cpp/tool_loop.cpp"] {
        for (compilers, link) in ways() {
            let program = bench.compile(&compilers, "tool_loop", &[source], link);
            let folder = bench.folder();
            run(bench.command("git").arg("init").arg("--quiet").current_dir(folder.path()));
            let play = |run_id: &str| {
                let mut command = bench.command(&program);
                command.current_dir(folder.path()).env("CODEX_TOOLLOOP_HOME", folder.path().join("home"));
                run(command.arg(run_id))
            };
            let (first, second) = (play("run-1"), play("run-2"));
            assert!(first.contains("\n--- Remembered `check-changes`\n"), "{first}");
            assert!(second.contains("[check-changes]") && !second.contains("--- Remembered"), "{second}");
            for output in [first, second] {
                assert!(output.ends_with("\n--- The changes can be committed.\n"), "{output}");
            }
            // A home that cannot be opened ends the program with the error's code.
            let mut command = bench.command(&program);
            let failed = start(command.current_dir(folder.path()).env("CODEX_TOOLLOOP_HOME", &program), b"");
            let why = String::from_utf8_lossy(&failed.stderr).into_owned();
            assert!(failed.status.code() == Some(1) && why.starts_with("IOError: "), "{why}");
        }
    }
}

#[test]
fn the_memory_stores_keep_what_they_are_given_in_storage_of_their_own() {
    let bench = Bench::new();
    let mut outputs = Vec::new();
    for source in ["examples/c/memory_store.c", "examples/cpp/memory_store.cpp"] {
        for (compilers, link) in ways() {
            let program = bench.compile(&compilers, "memory_store", &[source], link);
            let folder = bench.folder();
            let mut command = bench.command(&program);
            let output = run(command.current_dir(folder.path()).env("HOME", folder.path()));
            for line in ["log: 10 Context updated for job-1", "updated: {\"step\":2}", "context: {\"step\":2}"] {
                assert!(output.lines().any(|it| it == line), "{line}: {output}");
            }
            assert!(output.contains("\nlogs: [{\"id\":\"e1\",\"content\":\"Built it.\","), "{output}");
            assert!(!folder.path().join(".codex-toolloop").exists(), "the storage is the host's");
            outputs.push(output.lines().count());
        }
    }
    assert!(outputs.iter().all(|lines| *lines == 6), "{outputs:?}");
}

/// The host's answers: a status and its JSON on every line.
fn answers(output: &str) -> Vec<(i32, Value)> {
    let answer = |line: &str| {
        let (status, json) = line.split_once(' ')?;
        Some((status.parse().ok()?, serde_json::from_str(json).ok()?))
    };
    output.lines().map(|line| answer(line).unwrap_or_else(|| panic!("no answer: {line}"))).collect()
}

/// A C compiler and the matching C++ compiler.
#[derive(Debug, Clone, Copy)]
struct Compilers {
    c: &'static str,
    cpp: &'static str,
}

/// The system's compilers.
const CC: Compilers = Compilers { c: "cc", cpp: "c++" };
const CLANG: Compilers = Compilers { c: "clang", cpp: "clang++" };

impl Compilers {
    fn of(&self, language: &str) -> &'static str {
        if language == "c" { self.c } else { self.cpp }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Shared,
    Static,
}

/// Whether every compiler and both libraries are used, or one of each: see CONTRIBUTING.
fn is_every_way() -> bool {
    std::env::var_os("LOOPMEM_EVERY_HOST").is_some()
}

fn compilers() -> Vec<Compilers> {
    if !is_every_way() {
        return vec![CC];
    }
    if is_there(CLANG.c) && is_there(CLANG.cpp) {
        return vec![CC, CLANG];
    }
    eprintln!("clang is not on PATH: only {} and {} have seen the headers and the hosts", CC.c, CC.cpp);
    vec![CC]
}

/// Every compiler with the shared library, and one with the static one.
fn ways() -> Vec<(Compilers, Link)> {
    let shared = compilers().into_iter().map(|compilers| (compilers, Link::Shared));
    shared.chain(is_every_way().then_some((CC, Link::Static))).collect()
}

/// The libraries as just built, and a folder for programs and their homes.
struct Bench {
    folder: TempDir,
    shared: PathBuf,
    /// What the static library needs from the system, as linker flags.
    system_libraries: Vec<String>,
    /// More flags of the compiler.
    flags: &'static [&'static str],
}

impl Bench {
    fn new() -> Self {
        // On the disk of the target folder, so that the libraries can be hard-linked there: a concurrent build replaces
        // them.
        let folder = TempDir::with_prefix_in("hosts-", env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        let (libraries, system_libraries) = built_libraries();
        for built in libraries {
            let name = built.file_name().expect("a library has a name");
            std::fs::hard_link(&built, folder.path().join(name)).expect("the library is linked");
        }
        let shared = folder.path().join("libloopmem.so");
        Bench { folder, shared, system_libraries, flags: &[] }
    }

    /// An empty folder.
    fn folder(&self) -> TempDir {
        TempDir::new_in(self.folder.path()).expect("a folder")
    }

    /// A command that does not inherit the environment of the test run.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.folder.path()).current_dir(self.folder.path());
        command
    }

    /// Compiles and links a program, with warnings as errors.
    fn compile(&self, compilers: &Compilers, name: &str, sources: &[&str], link: Link) -> PathBuf {
        let language = if sources.iter().all(|source| source.ends_with(".c")) { "c" } else { "c++" };
        let program = self.folder.path().join(name);
        let mut command = Command::new(compilers.of(language));
        command
            .arg(if language == "c" { "-std=c11" } else { "-std=c++17" })
            .args(WARNINGS)
            .args(["-g", "-pthread"])
            .args(self.flags);
        if cfg!(debug_assertions) {
            command.arg("-DLOOPMEM_DEBUG");
        }
        command.arg("-I").arg(root().join("include")).arg("-o").arg(&program);
        command.args(sources.iter().map(|source| root().join(source)));
        match link {
            Link::Shared => command.arg(&self.shared).arg(format!("-Wl,-rpath,{}", self.folder.path().display())),
            Link::Static => command.arg(self.folder.path().join("libloopmem.a")).args(&self.system_libraries),
        };
        run(&mut command);
        program
    }

    /// Runs a test program, which gets an empty folder and `arguments`, in all [`ways`].
    fn run_every_way(&self, name: &str, sources: &[&str], arguments: &[&str]) {
        for (compilers, link) in ways() {
            let program = self.compile(&compilers, name, sources, link);
            let home = self.folder();
            run(self.command(&program).arg(home.path()).args(arguments));
        }
    }
}

/// The libraries, in the profile of this test, and what the static one needs.
///
/// The scripts have built them with the rest of the workspace. Cargo by itself does not build a library that is no
/// dependency of a test.
fn built_libraries() -> (Vec<PathBuf>, Vec<String>) {
    let folder = std::env::current_exe().expect("the path of this test");
    let folder = folder.ancestors().nth(2).expect("the target folder").to_owned();
    if std::env::var_os("LOOPMEM_BUILT").is_none() {
        let mut command = Command::new(env!("CARGO"));
        command
            .args(["build", "--quiet", "--package", "loopmem-ffi", "--package", "loopmem-features"])
            .current_dir(root());
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        run(&mut command);
    }
    // Everything but Rust's standard library is linked statically, so an empty library needs the same.
    let empty = TempDir::new().expect("a folder");
    let mut command = Command::new("rustc");
    command.args(["--crate-type", "staticlib", "--print", "native-static-libs", "--crate-name", "empty", "-"]);
    command.arg("--out-dir").arg(empty.path());
    let output = start(&mut command, b"");
    let messages = String::from_utf8_lossy(&output.stderr);
    let needs = messages.lines().find_map(|line| line.strip_prefix("note: native-static-libs: "));
    let needs = needs.unwrap_or_else(|| panic!("rustc lists what a static library needs: {messages}"));
    let libraries = ["libloopmem.so", "libloopmem.a"].map(|name| folder.join(name)).into();
    (libraries, needs.split_whitespace().map(str::to_owned).collect())
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn is_there(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

/// The output of a command that must succeed.
fn run(command: &mut Command) -> String {
    run_with(command, b"")
}

fn run_with(command: &mut Command, input: &[u8]) -> String {
    let output = start(command, input);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {command:?}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Runs a command to its end. `input` is small enough to be written before anything is read.
fn start(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|cause| panic!("{command:?} does not start: {cause}"));
    // If a program ended without reading, its status says why.
    let _ = child.stdin.take().expect("stdin is a pipe").write_all(input);
    child.wait_with_output().expect("the program ends")
}

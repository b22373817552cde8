//! The workflow that `branch workflow` writes, run step by step as a runner does it: in two jobs on two machines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::{Sandbox, text};

/// A step of a job.
#[derive(Default)]
struct Step {
    id: String,
    condition: String,
    uses: String,
    path: String,
    variables: Vec<(String, String)>,
    run: String,
}

/// The steps of both jobs, as the workflow indents them.
fn jobs(yaml: &str) -> [Vec<Step>; 2] {
    let (agent, push) = yaml.split_once("  push_repo_memory:\n").unwrap();
    [agent, push].map(|job| {
        let mut steps = Vec::new();
        for line in job.split_once("    steps:\n").unwrap().1.lines().filter(|line| !line.starts_with("      #")) {
            if let Some(first) = line.strip_prefix("      - ") {
                steps.push(Step::default());
                read(steps.last_mut().unwrap(), first);
            } else if let Some(key) = line.strip_prefix("        ").filter(|key| !key.starts_with(' ')) {
                read(steps.last_mut().unwrap(), key);
            } else {
                let (step, line) = (steps.last_mut().unwrap(), line.trim_start());
                match line.split_once(": ") {
                    Some((name, value)) if step.run.is_empty() && step.uses.is_empty() => {
                        step.variables.push((name.to_owned(), scalar(value)));
                    }
                    Some(("path", value)) if !step.uses.is_empty() => step.path = value.to_owned(),
                    _ if step.uses.is_empty() => step.run.push_str(&format!("{line}\n")),
                    _ => {}
                }
            }
        }
        steps
    })
}

fn read(step: &mut Step, key: &str) {
    match key.split_once(": ") {
        Some(("id", id)) => step.id = id.to_owned(),
        Some(("if", condition)) => step.condition = condition.to_owned(),
        Some(("uses", uses)) => step.uses = uses.to_owned(),
        Some(("run", run)) => step.run = if run == "|" { "\n".to_owned() } else { run.to_owned() },
        _ => {}
    }
}

fn scalar(value: &str) -> String {
    if value.starts_with('"') { serde_json::from_str(value).unwrap() } else { value.to_owned() }
}

/// A machine with its own folders, and what the jobs share.
struct Runner<'s> {
    sandbox: &'s Sandbox,
    root: String,
    values: BTreeMap<String, String>,
}

impl Runner<'_> {
    /// The text with its expressions replaced.
    fn filled(&self, text: &str) -> String {
        let mut text = text.replace("/tmp/gh-aw", &format!("{}/gh-aw", self.root));
        while let Some((before, rest)) = text.split_once("${{ ") {
            let (name, after) = rest.split_once(" }}").unwrap();
            let value = match name {
                "github.token" => "",
                "github.repository" => "o/r",
                "runner.temp" => &format!("{}/temp", self.root),
                name => self.values.get(name.trim_start_matches("needs.agent.outputs.")).map_or("", String::as_str),
            };
            text = format!("{before}{value}{after}");
        }
        text
    }

    fn holds(&self, condition: &str) -> bool {
        let holds = |part: &str| {
            let (name, is_equal, wanted) = match (part.split_once(" == "), part.split_once(" != ")) {
                (Some((name, wanted)), _) => (name, true, wanted),
                (_, Some((name, wanted))) => (name, false, wanted),
                _ => return true,
            };
            let name = name.trim_start_matches('(').trim_start_matches("needs.agent.outputs.");
            let value = self.values.get(name).map_or("", String::as_str);
            (value == wanted.trim_end_matches(')').trim_matches('\'')) == is_equal
        };
        condition.split(" && ").all(|part| part.split(" || ").any(holds))
    }

    /// Runs the steps of a job, up to one that fails: its id, and what it printed. `agent` works before the first step whose id
    /// begins with `files`.
    fn run(&mut self, steps: &[Step], agent: impl Fn(&Path)) -> Result<(), String> {
        let uploaded = self.sandbox.folder.path().join("uploaded");
        fs::create_dir_all(format!("{}/temp", self.root)).unwrap();
        let mut is_done = false;
        for step in steps.iter().filter(|step| !step.run.starts_with("cargo install")) {
            if step.id.starts_with("files") && !std::mem::replace(&mut is_done, true) {
                agent(Path::new(&format!("{}/gh-aw/repo-memory", self.root)));
            }
            if !self.holds(&step.condition) {
                continue;
            }
            let path = self.filled(&step.path);
            if step.uses.contains("upload") {
                let name = step.condition.split_once("files_").and_then(|(_, rest)| rest.split_once('.')).unwrap().0;
                let folder = uploaded.join(name);
                fs::create_dir_all(&folder).unwrap();
                self.sandbox.run(&format!("cp -r {path}/. '{0}' 2>/dev/null || cp {path} '{0}'", folder.display()), "");
            } else if step.uses.contains("download") {
                let folder = uploaded.join(step.id.trim_start_matches("download_"));
                self.sandbox.run(&format!("mkdir -p {path} && cp -r '{}/.' {path}", folder.display()), "");
                self.values.insert(format!("steps.{}.outcome", step.id), "success".to_owned());
            }
            if step.run.is_empty() {
                continue;
            }
            let set = |(name, value): &(String, String)| format!("export {name}='{}'\n", self.filled(value));
            let variables: String = step.variables.iter().map(set).collect();
            let output = format!("{}/temp/output", self.root);
            let _ = fs::remove_file(&output);
            let script = format!(
                "set -e\nexport GITHUB_SERVER_URL=file://$PWD/../server GITHUB_OUTPUT={output} RUNNER_TEMP={}/temp\n{variables}{}",
                self.root, step.run
            );
            let done = self.sandbox.start(&format!("git -C $PWD init -q; {script}"), "");
            if !done.status.success() {
                return Err(format!("{}: {}{}", step.id, text(&done.stdout), text(&done.stderr)));
            }
            for (name, value) in
                fs::read_to_string(&output).unwrap_or_default().lines().filter_map(|it| it.split_once('='))
            {
                self.values.insert(format!("steps.{}.outputs.{name}", step.id), value.to_owned());
                let name = match step.id.strip_prefix("files_") {
                    Some(id) => format!("repo_memory_{id}_{name}"),
                    None => format!("{}_{name}", step.id),
                };
                self.values.insert(name, value.to_owned());
            }
            self.values.insert(format!("steps.{}.outcome", step.id), "success".to_owned());
        }
        Ok(())
    }
}

/// Runs the workflow of a configuration on two new machines.
fn play(sandbox: &Sandbox, config: &str, number: usize, agent: impl Fn(&Path)) -> BTreeMap<String, String> {
    let yaml = sandbox.run(&format!("loopmem branch workflow --config '{config}'"), "");
    let [work, push] = jobs(&yaml);
    let root = |name: &str| format!("{}/{name}-{number}", sandbox.folder.path().display());
    let mut runner = Runner { sandbox, root: root("agent"), values: BTreeMap::new() };
    let _ = fs::remove_dir_all(sandbox.folder.path().join("uploaded"));
    runner.run(&work, agent).unwrap();
    let prompt = fs::read_to_string(format!("{}/temp/repo-memory.md", runner.root)).unwrap();
    assert!(prompt.starts_with("## Repo memory\n") && prompt.contains("loopmem branch validate"), "{prompt}");
    runner.root = root("push");
    runner.values.retain(|name, _| name.starts_with("repo_memory_"));
    runner.run(&push, |_| {}).unwrap();
    runner.values
}

/// Takes seconds: eighteen jobs, each with several processes of git.
#[test]
fn a_workflow_keeps_the_files_however_it_passes_them_on() {
    for options in [
        "",
        ", \"compression\": \"gzip\", \"max-total-size\": 50000, \"snapshots\": {\"keep\": 2}",
        ", \"compression\": \"zstd\", \"incremental\": true, \"snapshots\": {\"on\": \"day\"}",
    ] {
        let sandbox = Sandbox::new();
        sandbox.run("git init --quiet --bare ../server/o/r.git", "");
        let config = format!("[{{\"id\": \"logs\"{options}}}]");
        let shown = |path: &str| {
            sandbox
                .run(&format!("git --git-dir ../server/o/r.git show memory/logs:{path} 2>/dev/null || echo none"), "")
        };
        let write = |folder: &Path, path: &str, text: &str| fs::write(folder.join("logs").join(path), text).unwrap();
        play(&sandbox, &config, 1, |folder| {
            write(folder, "a.md", "one\n");
            write(folder, "large.md", &"same\n".repeat(1_900));
        });
        assert_eq!(shown("a.md"), "one\n", "{options}");
        play(&sandbox, &config, 2, |folder| {
            write(folder, "a.md", "two\n");
            write(folder, "b.md", "new\n");
            // Another run pushes while the agent works.
            sandbox.run(
                "git clone -q -b memory/logs ../server/o/r.git ../other && cd ../other && echo more >>large.md && \
                 echo theirs >c.md && git add . && git -c user.name=x -c user.email=x@x commit -qm x && git push -q",
                "",
            );
        });
        assert_eq!([shown("a.md"), shown("b.md"), shown("c.md")], ["two\n", "new\n", "theirs\n"], "{options}");
        assert!(shown("large.md").ends_with("same\nmore\n"), "{options}");
        if options.contains("incremental") {
            let artifacts = sandbox.run("find ../uploaded -name 'repo-memory-logs.*' -size -10k | wc -l", "");
            assert_eq!(artifacts.trim(), "1", "what did not change is not uploaded");
        }
        // Removing every file is a change too.
        play(&sandbox, &config, 3, |folder| {
            for path in ["a.md", "b.md", "c.md", "large.md"] {
                fs::remove_file(folder.join("logs").join(path)).unwrap();
            }
        });
        assert_eq!(shown("a.md"), "none\n", "{options}");
        let tags = sandbox.run("git --git-dir ../server/o/r.git tag | wc -l", "");
        let expected = match () {
            () if options.contains("keep") => "2",
            () if options.contains("day") => "1",
            () => "0",
        };
        assert_eq!(tags.trim(), expected, "{options}");
    }
}

#[test]
fn the_job_of_the_agent_validates_the_files_with_those_of_other_runs_if_it_can_reach_them() {
    // The variables express the first configuration, and an entry the second one.
    for options in ["", ", \"max-total-size\": 50000"] {
        let sandbox = Sandbox::new();
        sandbox.run("git init --quiet --bare ../server/o/r.git", "");
        let config = format!("[{{\"id\": \"logs\", \"max-file-size\": 40{options}}}]");
        let append = |folder: &Path, line: &str| {
            let path = folder.join("logs/log.md");
            fs::write(&path, fs::read_to_string(&path).unwrap_or_default() + line).unwrap();
        };
        play(&sandbox, &config, 1, |folder| append(folder, "the first line\n"));
        let yaml = sandbox.run(&format!("loopmem branch workflow --config '{config}'"), "");
        let [work, _] = jobs(&yaml);
        let root = |name: &str| format!("{}/{name}", sandbox.folder.path().display());
        // The repository is away while the agent ends: the files are uploaded.
        let mut runner = Runner { sandbox: &sandbox, root: root("unreached"), values: BTreeMap::new() };
        let done = runner.run(&work, |folder| {
            append(folder, "of this run\n");
            sandbox.run("mv ../server ../away", "");
        });
        sandbox.run("mv ../away ../server", "");
        assert_eq!((done, &*runner.values["repo_memory_logs_files"]), (Ok(()), "1"));
        // Each run keeps the limit, and both together do not.
        let mut runner = Runner { sandbox: &sandbox, root: root("together"), values: BTreeMap::new() };
        let refused = runner.run(&work, |folder| {
            append(folder, "of this run\n");
            sandbox.run(
                "git clone -q -b memory/logs ../server/o/r.git ../other && cd ../other && echo of another run >>log.md && \
                 git -c user.name=x -c user.email=x@x commit -qam x && git push -q",
                "",
            );
        });
        let refused = refused.unwrap_err();
        assert!(
            refused.starts_with("files_logs: ") && refused.contains("together with what others pushed"),
            "{refused}"
        );
    }
}

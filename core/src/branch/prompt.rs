//! What an agent is told about its memories.

use super::campaign::campaign;
use super::config::{BranchCleanUp, BranchMemories, BranchMemory};

/// The section of a prompt; empty without memories.
pub(super) fn prompt(config: &BranchMemories) -> String {
    match config.memories.as_slice() {
        [] => String::new(),
        [one] if one.id == "default" => single(one),
        several => list(several),
    }
}

fn single(memory: &BranchMemory) -> String {
    let path = &memory.prompt_path;
    let mut text = format!(
        "## Repo memory\n\nThe folder `{path}` keeps its files from run to run. Read what earlier runs left there, and write what \
         later runs should know.\n\n"
    );
    if let Some(description) = &memory.description {
        text.push_str(&format!("It is for: {}\n\n", line(description)));
    }
    text.push_str(&format!("- **Folder**: `{path}`\n"));
    rules(memory).iter().for_each(|rule| text.push_str(&format!("- {rule}\n")));
    text.push_str(MERGING);
    text
}

fn list(memories: &[BranchMemory]) -> String {
    let mut text =
        "## Repo memory\n\nThese folders keep their files from run to run. Read what earlier runs left there, and \
                    write what later runs should know.\n"
            .to_owned();
    for memory in memories {
        text.push_str(&format!("\n- **{}**: `{}`\n", memory.id, memory.prompt_path));
        if let Some(description) = &memory.description {
            text.push_str(&format!("  - It is for: {}\n", line(description)));
        }
        rules(memory).iter().for_each(|rule| text.push_str(&format!("  - {rule}\n")));
    }
    text.push_str(MERGING);
    text
}

/// What becomes of changes that another run made meanwhile.
const MERGING: &str = "\nAfter the run, changes are committed to the branch and merged with those of other runs; where both \
                       changed the same thing, yours win. Removing or renaming a file is a change too.\n";

/// What holds for the files of a memory, one rule each.
fn rules(memory: &BranchMemory) -> Vec<String> {
    let of = memory.target_repo.as_ref().map_or_else(|| "this repository".to_owned(), |repo| format!("`{repo}`"));
    let mut rules = vec![
        format!("**Branch**: `{}` of {of}", memory.branch),
        format!(
            "**Limits**: at most {}, each of at most {}",
            count(memory.max_file_count, "file"),
            bytes(memory.max_file_size)
        ),
    ];
    if let Some(limit) = memory.max_patch_size {
        rules.push(format!("**Growth**: one run may make the files larger by at most {} in all", bytes(limit)));
    }
    if let Some(limit) = memory.max_total_size {
        let then = match memory.clean_up {
            BranchCleanUp::Oldest => "; then the files that were changed longest ago are removed",
            BranchCleanUp::None => "",
        };
        rules.push(format!("**Quota**: at most {} in all files{then}", bytes(limit)));
    }
    if let Some(patterns) = &memory.file_glob {
        rules.push(format!("**Files that are kept**: {}", codes(patterns)));
    }
    if let Some(extensions) = &memory.allowed_extensions {
        rules.push(format!("**Extensions that are kept**: {}", codes(extensions)));
    }
    if let Some(campaign) = campaign(memory) {
        rules.push(format!(
            "**Campaign**: `{campaign}/cursor.json` and at least one snapshot below `{campaign}/metrics/` are required"
        ));
    }
    rules
}

fn codes(texts: &[String]) -> String {
    match texts {
        [] => "none".to_owned(),
        texts => texts.iter().map(|text| format!("`{}`", line(text))).collect::<Vec<_>>().join(", "),
    }
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn bytes(number: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match number {
        number if number >= MIB && number % MIB == 0 => format!("{} MiB ({number} bytes)", number / MIB),
        number if number >= KIB && number % KIB == 0 => format!("{} KiB ({number} bytes)", number / KIB),
        number => count(number, "byte"),
    }
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

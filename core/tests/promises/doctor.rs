//! The doctor finds every fault, changes nothing without `fix`, and loses nothing with it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use loopmem::doctor::Report;
use loopmem::doctor::{Fault, Severity};
use loopmem::testing::disk::{Cancel, Fs as _, Kind, Open, RealFs};
use loopmem::{CallOptions, ErrorKind, Store};

use crate::file_systems::{Fault as Broken, Faulty, FsLimitation, TestClock};
use crate::operations::memory::{A, B, LATER, document};
use crate::operations::summary::LINE;
use crate::{TestHome, append, at_most, conventions, hold, open, steps, upsert};

pub(crate) fn check(store: &Store, fix: bool) -> Report {
    crate::look(store, fix).unwrap()
}

/// The file and the fault of each finding.
pub(crate) fn findings(report: &Report) -> Vec<(&str, Fault)> {
    report.findings.iter().map(|it| (it.file.rsplit('/').next().unwrap_or(""), it.fault)).collect()
}

/// Makes everything private, as loopmem does.
pub(crate) fn close(home: &TestHome) {
    let fs = home.fs();
    for path in home.entries().into_iter().chain([home.root()]) {
        let (how, mode) = match fs.stat_path(&path).unwrap().kind {
            Kind::File => (Open::Read, 0o600),
            Kind::Folder => (Open::Folder, 0o700),
            Kind::Link => continue,
            Kind::Other => {
                std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
                continue;
            }
        };
        fs.set_mode(&fs.open(&path, how).unwrap(), mode).unwrap();
    }
}

/// Every file and folder of the home, with mode and bytes.
pub(crate) fn snapshot(home: &TestHome) -> BTreeMap<PathBuf, (Kind, u32, Vec<u8>)> {
    let fs = home.fs();
    let entry = |path: PathBuf| {
        let stat = fs.stat_path(&path).unwrap();
        let bytes = if stat.kind == Kind::File { home.read(&path).unwrap() } else { Vec::new() };
        (path, (stat.kind, stat.mode, bytes))
    };
    let root = Some(home.root()).filter(|root| fs.stat_path(root).is_ok());
    home.entries().into_iter().chain(root).map(entry).collect()
}

/// A home with one file that another program wrote.
fn holding(path: fn(&TestHome) -> PathBuf, bytes: impl AsRef<[u8]>) -> TestHome {
    let home = TestHome::new();
    home.put(&path(&home), bytes);
    close(&home);
    home
}

#[test]
fn a_home_that_does_not_exist_has_no_problems_and_is_not_created() {
    let home = TestHome::new();
    for fix in [false, true] {
        let report = check(&home.open(), fix);
        assert_eq!((report.findings, report.counts), (vec![], loopmem::doctor::Counts::default()));
    }
    assert!(!home.top().join("user").exists());
}

#[test]
fn a_home_that_cannot_be_written_is_reported_once_and_so_is_its_parent() {
    let home = TestHome::new();
    let unwritable = |folder: &Path, root: &Path| -> Vec<(PathBuf, Severity)> {
        let report = check(&open(root, TestClock::read_only(folder.to_owned())), false);
        assert_eq!(report.counts.warnings, report.findings.len(), "{report:?}");
        report.findings.iter().map(|it| (PathBuf::from(&it.file), it.severity)).collect()
    };
    let parent = home.top().to_owned();
    assert_eq!(unwritable(&parent, &home.root()), [(parent.clone(), Severity::Warning)]);
    upsert(&home.open(), "a", "text").unwrap();
    home.open().working().save_checkpoint("job").unwrap();
    let scope = loopmem::testing::home(&home.open()).layout().scope("job");
    for folder in [home.root(), home.root().join("repos"), home.folder(), home.root().join("working"), scope] {
        assert_eq!(unwritable(&folder, &home.root()), [(folder.clone(), Severity::Warning)], "{folder:?}");
    }
    assert_eq!(unwritable(&parent.join("elsewhere"), &home.root()), []);
}

#[test]
fn files_that_loopmem_wrote_have_no_problems_and_are_not_changed() {
    let home = TestHome::new();
    let store = home.open();
    upsert(&store, "a", "text").unwrap();
    append(&store, "first").unwrap();
    std::fs::write(home.folder().join("notes of mine.txt"), "theirs").unwrap();
    std::fs::create_dir(home.root().join("repos").join("no hash")).unwrap();
    let before = snapshot(&home);
    for (store, fix) in [(&store, false), (&home.open(), false), (&home.open(), true)] {
        let report = check(store, fix);
        assert_eq!(report.findings, []);
        assert_eq!((report.counts.files, report.counts.repositories), (2, 1));
        assert_eq!(snapshot(&home), before);
    }
}

#[test]
fn intact_records_of_a_damaged_file_are_recovered_and_the_file_is_kept() {
    let damaged = document(&[A, &B[..50], B]).unwrap();
    let home = holding(TestHome::memory, &damaged);
    let store = home.open();
    store.repo_at(&crate::repo()).memory().get().unwrap_err();
    let report = check(&store, true);
    assert!(
        report.findings[0]
            .detail
            .ends_with("; 2 records were recovered, and the damaged file is kept as memory.json.damaged"),
        "{report:?}"
    );
    let now = std::fs::read_to_string(home.memory()).unwrap();
    assert!([A, B, LATER].iter().all(|part| now.contains(part)), "{now}");
    assert_eq!(std::fs::read(home.folder().join("memory.json.damaged")).unwrap(), damaged);
    assert_eq!(conventions(&store).len(), 2, "the store that found the damage reads what was brought back");

    // Lines stay as they are, in their order, and what was never finished is in the copy.
    let odd = LINE.replace(',', " , ").replace("\"s\"", "\"odd\"");
    let damaged = format!("{LINE}\n\0\0\0\n\n{LINE}\0\n{odd}\r\n{}", &LINE[..20]);
    home.put(&home.summaries(), &damaged);
    let report = check(&store, true);
    assert!(
        report.findings.iter().any(|it| it.detail.contains("line 2: it is not valid JSON; line 4: ")),
        "{report:?}"
    );
    assert_eq!(steps(&store), ["s", "odd"]);
    assert_eq!(std::fs::read_to_string(home.summaries()).unwrap(), format!("{LINE}\n{odd}\r\n"));
    assert_eq!(std::fs::read_to_string(home.folder().join("summaries.jsonl.damaged")).unwrap(), damaged);
}

#[test]
fn a_file_without_intact_records_is_set_aside_and_replaced_by_an_empty_one() {
    let home = TestHome::new();
    // Never over what was set aside before.
    for (round, damaged) in ["\0\0\0\0", "", "{\"conventions\": [{"].into_iter().enumerate() {
        home.put(&home.memory(), damaged);
        let report = check(&home.open(), true);
        assert!(
            report.findings.iter().any(|it| it.repaired && it.detail.contains("nothing in it could be")),
            "{report:?}"
        );
        assert!(!home.memory().exists());
        let name = ["memory.json.damaged", "memory.json.damaged-2", "memory.json.damaged-3"][round];
        assert_eq!(std::fs::read_to_string(home.folder().join(name)).unwrap(), damaged);
    }
    let report = check(&home.open(), false);
    assert_eq!(report.counts.infos, 3);
    assert!(report.findings.iter().all(|it| it.severity == Severity::Info), "{report:?}");
    assert_eq!(conventions(&home.open()), []);
}

#[test]
fn every_record_before_the_cut_of_a_truncated_document_is_recovered() {
    let whole = String::from_utf8(document(&[A, B]).unwrap()).unwrap();
    let home = TestHome::new();
    // The scan itself is tried at every length where it stands; here are the files.
    for cut in (0..whole.trim_end().len()).step_by(3) {
        let (cut_off, folder) = (&whole[..cut], home.folder());
        home.put(&home.memory(), cut_off);
        let store = home.open();
        check(&store, true);
        let ids: Vec<_> = conventions(&store).into_iter().map(|(id, _)| id).collect();
        let expected = [("a", A), ("b", B)].into_iter().filter(|(_, record)| cut_off.contains(record));
        assert_eq!(ids, expected.map(|(id, _)| id).collect::<Vec<_>>(), "{cut_off}");
        if cut_off.contains(LATER) {
            assert!(std::fs::read_to_string(home.memory()).unwrap().contains(LATER), "{cut_off}");
        }
        let kept = folder.join("memory.json.damaged");
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), cut_off);
        std::fs::remove_file(kept).unwrap();
    }
}

#[test]
fn a_damaged_unfinished_copy_is_repaired_and_kept_and_not_used_again() {
    let home = TestHome::new();
    let damaged = document(&[A, &B[..50], B]).unwrap();
    home.put(&home.folder().join("memory.json.copying"), &damaged);
    home.put(&home.memory(), &damaged[..9]);
    close(&home);
    let store = home.open();
    assert_eq!(check(&store, false).counts.errors, 1);
    let report = check(&store, true);
    assert_eq!((report.counts.errors, report.counts.repaired), (0, 2), "{report:?}");
    assert_eq!(conventions(&home.open()).len(), 2);
    assert_eq!(findings(&check(&home.open(), false)), [("memory.json.damaged", Fault::Quarantined)]);
    assert_eq!(std::fs::read(home.folder().join("memory.json.damaged")).unwrap(), damaged);
}

#[test]
fn a_lock_file_whose_owner_is_gone_is_found_and_removed_with_flock_and_without() {
    let home = TestHome::new();
    for fs in [Faulty::default().fs(), Faulty::with_limitation(FsLimitation::NoLocks).fs()] {
        let store = open(&home.root(), fs);
        upsert(&store, "a", "new").unwrap();
        let mut owner = serde_json::json!(RealFs.process(std::process::id()).unwrap());
        for boot in [owner["boot"].clone(), "another machine".into()] {
            let is_gone = boot == owner["boot"];
            owner["boot"] = boot;
            owner["started"] = 1.into();
            owner["token"] = "0123456789abcdef".into();
            let path = home.folder().join("memory.json.lock.owner");
            home.put(&path, format!("{:020}\n{owner}\n", 7));
            close(&home);
            let fault = if is_gone { Fault::StaleOwner } else { Fault::UnknownOwner };
            let expected = [("memory.json.lock.owner", fault)];
            let report = check(&store, false);
            assert_eq!(findings(&report), expected);
            assert_eq!(report.counts.warnings, usize::from(is_gone), "of another machine nothing is known");
            if is_gone {
                let report = check(&store, true);
                assert_eq!((findings(&report), report.counts.repaired), (expected.to_vec(), 1), "{report:?}");
            }
            assert_eq!(path.exists(), !is_gone);
            let _ = std::fs::remove_file(path);
            assert_eq!(check(&store, false).findings, []);
        }
    }
}

#[test]
fn modes_that_give_others_access_are_found_and_corrected() {
    let home = TestHome::new();
    let store = home.open();
    upsert(&store, "a", "text").unwrap();
    home.put(&home.folder().join("memory.json.damaged"), "old");
    home.put(&home.root().join("config.toml"), "[memory]\n");
    close(&home);
    let (config, lock) = (home.root().join("config.toml"), home.folder().join("memory.json.lock"));
    let open_to = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    // Whoever may read the configuration learns nothing that is stored.
    open_to(&config, 0o644);
    assert_eq!(findings(&check(&store, false)), [("memory.json.damaged", Fault::Quarantined)]);
    for (path, mode) in [
        (home.root(), 0o755),
        (config.clone(), 0o666),
        (home.root().join("repos"), 0o711),
        (home.folder(), 0o750),
        (home.memory(), 0o640),
        (home.folder().join("memory.json.damaged"), 0o604),
        (lock.clone(), 0o660),
    ] {
        open_to(&path, mode);
    }
    let before = snapshot(&home);
    let found = check(&store, false);
    assert_eq!(snapshot(&home), before);
    let modes: Vec<_> =
        findings(&found).into_iter().filter(|(_, fault)| *fault == Fault::Mode).map(|(name, _)| name).collect();
    let hash = crate::repo().to_string();
    assert_eq!(
        modes,
        ["home", "config.toml", "repos", &*hash, "memory.json", "memory.json.damaged", "memory.json.lock"]
    );
    assert_eq!((found.counts.warnings, check(&store, true).counts.repaired), (7, 7));
    assert_eq!(findings(&check(&store, false)), [("memory.json.damaged", Fault::Quarantined)]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&home.root()), mode(&config), mode(&home.memory()), mode(&lock)), (0o700, 0o644, 0o600, 0o600));
}

#[test]
fn recovered_files_are_private() {
    let home = holding(TestHome::memory, document(&[A, &B[..50]]).unwrap());
    std::fs::set_permissions(home.memory(), PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!(check(&home.open(), true).counts.repaired, 2);
    for file in [home.memory(), home.folder().join("memory.json.damaged")] {
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn no_finding_hides_another() {
    let home = TestHome::new();
    let other = home.root().join("repos").join("0a".repeat(32));
    std::fs::create_dir_all(&other).unwrap();
    home.put(&other.join("memory.json"), "{");
    std::fs::create_dir(other.join("repo.json")).unwrap();
    std::fs::create_dir_all(home.memory()).unwrap();
    home.put(&home.summaries(), "{");
    home.put(&home.folder().join("summaries.jsonl.x.tmp"), "{");
    close(&home);
    let report = check(&home.open(), false);
    assert_eq!(
        findings(&report),
        [
            ("memory.json", Fault::Damaged),
            ("repo.json", Fault::NotAFile),
            ("memory.json", Fault::NotAFile),
            ("summaries.jsonl", Fault::TornTail),
            ("summaries.jsonl.x.tmp", Fault::Litter),
        ]
    );
    assert_eq!((report.counts.repositories, report.counts.errors, report.counts.warnings), (2, 3, 2));
    assert_eq!(check(&home.open(), true).counts.repaired, 3);
}

#[test]
fn a_file_that_is_being_written_is_reported_as_busy_and_the_others_are_checked() {
    let home = TestHome::new();
    upsert(&home.open(), "a", "text").unwrap();
    home.put(&home.folder().join("memory.json.live.tmp"), "unfinished");
    home.put(&home.summaries(), "7\n");
    close(&home);
    let held = hold(&home.memory());
    for fix in [false, true] {
        let report = crate::look(&home.open().with(at_most(Duration::ZERO)), fix).unwrap();
        let findings = findings(&report);
        assert_eq!(findings[0], ("memory.json.lock", Fault::Busy));
        assert_eq!(findings[1], ("summaries.jsonl", Fault::Damaged));
        assert_eq!(findings.len(), 2, "what a writer that may be alive is writing is no litter: {findings:?}");
    }
    drop(held);
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled = home.open().with(CallOptions::new().cancel(&cancel)).doctor().fix().unwrap_err();
    assert_eq!(cancelled.kind(), ErrorKind::Cancelled);
}

#[test]
fn a_disk_error_during_a_check_is_reported_and_does_not_end_the_check() {
    let home = TestHome::new();
    let store = home.open();
    upsert(&store, "a", "text").unwrap();
    home.put(&home.summaries(), "7\n");
    close(&home);
    let before = snapshot(&home);
    let undisturbed = check(&store, false);
    assert_eq!(findings(&undisturbed), [("summaries.jsonl", Fault::Damaged)]);
    let mut struck = 0;
    for nth in 1.. {
        let faulty = Faulty::default();
        let store = open(&home.root(), faulty.fs());
        faulty.arm(nth, Broken::Errno(libc::EIO));
        let report = check(&store, false);
        if !faulty.disarm() {
            break;
        }
        let is_reported = report.findings.iter().any(|it| matches!(it.fault, Fault::Unreadable | Fault::Busy));
        assert!(is_reported || report == undisturbed, "call {nth}: {report:?}");
        struck += usize::from(is_reported);
        assert_eq!(snapshot(&home), before);
    }
    assert!(struck > 10, "{struck}");
}

/// Another process may remove any folder, and no lock prevents it.
#[test]
fn a_folder_that_is_gone_when_it_is_checked_is_no_finding() {
    let home = TestHome::new();
    crate::operations::working::saved(&home);
    close(&home);
    for nth in 1.. {
        let faulty = Faulty::default();
        let store = open(&home.root(), faulty.fs());
        faulty.arm(nth, Broken::Errno(libc::ENOENT));
        let report = check(&store, false);
        if !faulty.disarm() {
            assert!(nth > 30, "{nth}");
            break;
        }
        let of_a_folder = report.findings.iter().find(|it| Path::new(&it.file).is_dir());
        assert_eq!(of_a_folder, None, "call {nth}");
    }
}

/// A file that git checks out has the mode that the user's settings give it.
#[cfg(unix)]
#[test]
fn others_may_read_items_but_not_change_them() {
    use loopmem::items::{ItemDraft, ItemType, Scope};
    let home = TestHome::new();
    let store = home.open();
    upsert(&store, "a", "text").unwrap();
    store.items(home.root()).add(ItemDraft::new(Scope::Global, ItemType::Note, "text")).unwrap();
    let file = home.codex().join("memory/items.jsonl");
    let faults = |mode, fix| {
        std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        let found = check(&store, fix);
        found.findings.into_iter().filter(|it| it.file.ends_with("items.jsonl")).map(|it| it.fault).collect::<Vec<_>>()
    };
    assert_eq!(faults(0o644, false), []);
    assert_eq!(faults(0o666, true), [Fault::Mode]);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
}

//! Files on their way to another job.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use loopmem::ErrorKind;
use serde_json::{Value, json};

use super::{Agent, Site};

impl Agent<'_> {
    fn pack(&self, name: &str, since: Option<&Path>) -> PathBuf {
        let path = self.site.path(name);
        self.store.branches().pack(&self.memory, Some(&self.directory), &path, since).unwrap();
        path
    }

    fn unpack(&self, artifact: &Path) -> loopmem::Result<loopmem::branch::Unpacked> {
        self.store.branches().unpack(artifact, Some(&self.directory))
    }
}

#[test]
fn files_arrive_as_they_were_in_every_compression_and_the_same_files_give_the_same_bytes() {
    let site = Site::new();
    let agent = site.ready("a");
    agent
        .write("a.md", "a\n")
        .write("deep/er/b.jsonl", "{}\n")
        .write("raw.bin", [0xff, 0])
        .write(".hidden", "h")
        .push();
    agent.write("c.md", "not pushed\n");
    let base = agent.checkout().unwrap().base;
    for name in ["x.tar", "x.tar.gz", "x.tgz", "x.tar.zst"] {
        let artifact = agent.pack(name, None);
        let bytes = fs::read(&artifact).unwrap();
        assert_eq!(fs::read(agent.pack(&format!("again-{name}"), None)).unwrap(), bytes, "{name}");
        let copy = site.agent(&format!("copy-{name}"));
        let unpacked = copy.unpack(&artifact).unwrap();
        assert_eq!(unpacked.base, base);
        assert_eq!(copy.files(), agent.files());
        assert_eq!(fs::read(copy.directory.join("raw.bin")).unwrap(), [0xff, 0]);
        assert_eq!(copy.unpack(&artifact).unwrap().changed, [""; 0]);
    }
    // Ordinary programs read it.
    let listed = Command::new("tar").arg("-tf").arg(site.path("x.tar.gz")).output().unwrap();
    assert!(String::from_utf8(listed.stdout).unwrap().starts_with("loopmem.json\nfiles/.hidden\n"));
    let push = site.agent("copy-x.tar").push();
    assert_eq!((push.added, push.base), (vec!["c.md".to_owned()], base));
}

#[test]
fn only_what_changed_since_an_earlier_artifact_is_packed_and_what_was_removed_is_removed() {
    let site = Site::new();
    let (agent, copy) = (site.ready("a"), site.agent("copy"));
    agent.write("same.md", "s".repeat(5_000)).write("log.jsonl", "{\"n\":1}\n").write("gone.md", "g\n");
    let first = agent.pack("1.tar", None);
    copy.unpack(&first).unwrap();
    agent.append("log.jsonl", "{\"n\":2}\n").write("new.md", "n\n").remove("gone.md");
    let second = agent.pack("2.tar", Some(&first));
    assert!(fs::metadata(&second).unwrap().len() < fs::metadata(&first).unwrap().len());
    copy.write("own.md", "of this machine\n");
    assert_eq!(copy.unpack(&second).unwrap().changed, ["gone.md", "log.jsonl", "new.md"]);
    assert_eq!(copy.files(), ["log.jsonl", "new.md", "own.md", "same.md"]);
    let refused = site.agent("other").unpack(&second).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert!(!site.agent("other").directory.join("new.md").exists());
    copy.write("new.md", "changed here\n");
    agent.write("new.md", "changed there\n");
    let refused = copy.unpack(&agent.pack("3.tar", None)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused:?}");
    assert_eq!(copy.read("new.md").unwrap(), "changed here\n");
}

#[test]
fn secrets_are_in_no_artifact() {
    let site = Site::new();
    let agent = site.ready("a");
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    agent.write("a.md", format!("push with {token}\n"));
    let artifact = fs::read(agent.pack("x.tar", None)).unwrap();
    assert!(!artifact.windows(token.len()).any(|window| window == token.as_bytes()));
    agent.write("b.bin", [b"\xff\x00".as_slice(), token.as_bytes()].concat());
    let path = site.path("y.tar");
    let refused = agent.store.branches().pack(&agent.memory, Some(&agent.directory), &path, None).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SecretRefused);
    assert!(!path.exists());
}

/// Writes a tar file by hand: its entries as names, kinds and contents.
fn plant(path: &Path, manifest: &Value, entries: &[(&str, u8, &[u8])]) {
    let manifest = manifest.to_string();
    let mut bytes = Vec::new();
    for (name, kind, contents) in [("loopmem.json", b'0', manifest.as_bytes())].iter().chain(entries) {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{:011o}", contents.len()).as_bytes());
        header[156] = *kind;
        if *kind == b'2' {
            header[157..168].copy_from_slice(b"/etc/passwd");
        }
        header[257..263].copy_from_slice(b"ustar\0");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        bytes.extend(header);
        bytes.extend(*contents);
        bytes.resize(bytes.len().div_ceil(512) * 512, 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    fs::write(path, bytes).unwrap();
}

/// The SHA-256 of `x\n`.
const X: &str = "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac";

#[test]
fn a_planted_artifact_changes_nothing_outside_of_the_folder_and_nothing_inside() {
    let site = Site::new();
    let agent = site.ready("a");
    let entry = serde_json::to_value(&agent.memory).unwrap();
    let manifest = |paths: &[&str]| {
        let files: Vec<Value> = paths.iter().map(|path| json!({"path": path, "size": 2, "sha256": X})).collect();
        json!({"schemaVersion": 1, "entry": entry, "base": null, "files": files})
    };
    let path = site.path("planted.tar");
    let refuse = |manifest: &Value, entries: &[(&str, u8, &[u8])], kind: ErrorKind| {
        plant(&path, manifest, entries);
        let refused = agent.unpack(&path).unwrap_err();
        assert_eq!(refused.kind(), kind, "{manifest}: {refused:?}");
        assert_eq!(agent.files(), [""; 0], "{manifest}");
    };
    for name in ["../out.md", "/tmp/out.md", "a/../../out.md", ".git/config", "a//b", ".", "x/.GIT/hooks/y", "", "a\0b"]
    {
        refuse(&manifest(&[name]), &[], ErrorKind::Parse);
    }
    refuse(&manifest(&["a.md", "a.md"]), &[], ErrorKind::Parse);
    for entries in [
        [("files/../out.md", b'0', b"x\n".as_slice())],
        [("files/b.md", b'0', b"x\n")],
        [("files/a.md", b'2', b"")],
        [("files/a.md", b'5', b"")],
        [("files/a.md", b'0', b"y\n")],
        [("files/a.md", b'0', b"longer\n")],
        [("/files/a.md", b'0', b"x\n")],
    ] {
        refuse(&manifest(&["a.md"]), &entries, ErrorKind::Parse);
    }
    refuse(&manifest(&["a.md"]), &[("files/a.md", b'0', b"x\n"), ("files/a.md", b'0', b"x\n")], ErrorKind::Parse);
    refuse(&json!({"schemaVersion": 2}), &[], ErrorKind::FormatTooNew);
    refuse(&json!({"schemaVersion": 1}), &[], ErrorKind::Parse);
    // The folder that an artifact names is another machine's.
    let mut elsewhere = manifest(&["a.md"]);
    elsewhere["entry"]["directory"] = json!(site.path("elsewhere"));
    plant(&path, &elsewhere, &[("files/a.md", b'0', b"x\n")]);
    let unpacked = agent.store.branches().unpack(&path, None).unwrap();
    assert_eq!(unpacked.directory, site.path("memories/default").to_str().unwrap());
    assert!(!site.path("elsewhere").exists());
    // A link on the way.
    let outside = site.path("outside");
    fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, agent.directory.join("sub")).unwrap();
    plant(&path, &manifest(&["sub/a.md"]), &[("files/sub/a.md", b'0', b"x\n")]);
    agent.unpack(&path).unwrap_err();
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn no_bytes_make_an_artifact_that_is_cut_or_damaged_panic() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "some text\n".repeat(50)).write("b/c.md", "more\n");
    for name in ["x.tar", "x.tar.gz", "x.tar.zst"] {
        let bytes = fs::read(agent.pack(name, None)).unwrap();
        let copy = site.agent("copy");
        let path = site.path(&format!("bad-{name}"));
        for step in 0..60 {
            let at = bytes.len() * step / 60;
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            for bad in [&bytes[..at], &damaged] {
                fs::write(&path, bad).unwrap();
                let _ = copy.unpack(&path);
            }
        }
    }
}

/// Compresses an artifact with a manifest of these files, all of them of zeros.
fn plant_zeros(site: &Site, name: &str, files: &[(&str, usize)]) -> PathBuf {
    let agent = site.agent_with("planter", json!({"max-file-size": 104_857_600, "max-file-count": 1000}));
    let hash = |size: usize| {
        let file = site.path("zeros");
        fs::write(&file, vec![0; size]).unwrap();
        let sum = Command::new("sha256sum").arg(file).output().unwrap();
        String::from_utf8(sum.stdout).unwrap().split(' ').next().unwrap().to_owned()
    };
    let listed: Vec<Value> =
        files.iter().map(|(path, size)| json!({"path": path, "size": size, "sha256": hash(*size)})).collect();
    let manifest = json!({"schemaVersion": 1, "entry": serde_json::to_value(&agent.memory).unwrap(), "base": null, "files": listed});
    let contents: Vec<(String, Vec<u8>)> =
        files.iter().map(|(path, size)| (format!("files/{path}"), vec![0; *size])).collect();
    let entries: Vec<(&str, u8, &[u8])> = contents.iter().map(|(path, content)| (&**path, b'0', &**content)).collect();
    let path = site.path("planted.tar");
    plant(&path, &manifest, &entries);
    assert!(Command::new("gzip").arg("-kf").arg(&path).status().unwrap().success());
    let packed = site.path(name);
    fs::rename(site.path("planted.tar.gz"), &packed).unwrap();
    packed
}

#[test]
fn an_artifact_that_stands_for_very_many_bytes_is_refused() {
    let site = Site::new();
    let agent = site.ready("a");
    let fits = plant_zeros(&site, "fits.tar.gz", &[("a.bin", 10 << 20)]);
    agent.unpack(&fits).unwrap();
    agent.remove("a.bin");
    let names: Vec<String> = (0..7).map(|name| format!("f{name}.bin")).collect();
    let files: Vec<(&str, usize)> = names.iter().map(|name| (&**name, 20 << 20)).collect();
    let bomb = plant_zeros(&site, "bomb.tar.gz", &files);
    assert!(fs::metadata(&bomb).unwrap().len() < 200_000);
    let refused = agent.unpack(&bomb).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Parse, "{refused}");
    assert_eq!(agent.files(), [""; 0]);
}

#[test]
fn the_files_of_an_artifact_follow_the_rules_of_its_memory() {
    let site = Site::new();
    let agent = site.ready("a");
    let entry = serde_json::to_value(&agent.memory).unwrap();
    let path = site.path("planted.tar");
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    let many: Vec<String> = (0..101).map(|name| format!("{name}.md")).collect();
    let planted = |paths: &[&str], size: u64| {
        let files: Vec<Value> = paths.iter().map(|path| json!({"path": path, "size": size, "sha256": X})).collect();
        json!({"schemaVersion": 1, "entry": entry, "base": null, "files": files})
    };
    // They would be in memory together.
    let mut large = planted(&["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"], 90 << 20);
    let roomy = site.agent_with("roomy", json!({"max-file-size": 104_857_600}));
    large["entry"] = serde_json::to_value(&roomy.memory).unwrap();
    for (manifest, what) in [
        (planted(&["con.md"], 2), "name of a device"),
        (planted(&["a\u{1b}[2J.md"], 2), "control character"),
        (planted(&["a.md", "A.md"], 2), "upper and lower case"),
        (planted(&[&format!("{token}.md")], 2), "looks like a secret"),
        (planted(&["large.md"], 10_241), "10241 bytes"),
        (planted(&many.iter().map(String::as_str).collect::<Vec<_>>(), 2), "101 files"),
        (large, "more than 536870912"),
    ] {
        plant(&path, &manifest, &[]);
        let refused = agent.unpack(&path).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Parse, "{refused}");
        assert!(refused.message().contains(what) && !refused.message().contains(&token), "{refused}");
        assert!(!refused.message().contains('\u{1b}'), "{refused}");
    }
    // Nor is one written.
    agent.write("large.md", "x".repeat(10_241));
    let refused = agent.store.branches().pack(&agent.memory, Some(&agent.directory), &site.path("y.tar"), None);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Validation);
}

#[test]
fn a_name_of_an_entry_that_is_longer_than_any_path_is_refused_before_it_is_held() {
    let site = Site::new();
    let agent = site.ready("a");
    let entry = serde_json::to_value(&agent.memory).unwrap();
    let manifest = json!({"schemaVersion": 1, "entry": entry, "base": null, "files": []});
    for length in [100 << 10, 8 << 20] {
        // GNU tar's way to give the next entry a long name.
        plant(&site.path("planted.tar"), &manifest, &[("././@LongLink", b'L', &vec![b'n'; length])]);
        let refused = site.agent("b").unpack(&site.path("planted.tar")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Parse, "{refused}");
        assert!(format!("{refused:#}").len() < 1_000, "{refused:#}");
    }
}

#[test]
fn a_name_that_loopmem_uses_itself_is_refused_and_what_has_it_stays() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    agent.write(".loopmem-new/keep.md", "kept\n");
    let refused = agent.try_push(loopmem::branch::PushOptions::new()).unwrap_err();
    assert!(refused.message().contains("a name that loopmem uses"), "{refused}");
    assert!(!agent.validate().ok);
    assert_eq!(agent.read(".loopmem-new/keep.md").as_deref(), Some("kept\n"));
}

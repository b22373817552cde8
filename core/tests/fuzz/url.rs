//! Any text as a remote's URL: sanitized once and for all, and whatever stands for a password is gone.

use loopmem::ErrorKind;
use loopmem::repo::{MAX_URL_BYTES, sanitize_remote_url};
use serde_json::{Value, json};

use crate::engine::Target;
use crate::mutation::Rng;
use crate::{Home, Verdict, call, must};

pub(crate) const TARGET: Target = Target { name: "url", run, words, begin };

/// URLs around a password, and what is left of each.
const AROUND: &[(&str, &str, &str)] = &[
    ("https://user:", "@host.org:443/o/r", "https://host.org/o/r"),
    ("HTTP://user:", "@Host.org:8080/o/r/", "http://host.org:8080/o/r"),
    ("https://:", "@host.org/o/r.git", "https://host.org/o/r.git"),
    ("ssh://user:", "@host.org:22/o/r.git", "ssh://host.org/o/r"),
    ("git+ssh://user:", "@[::1]:2222/o/r", "ssh://[::1]/o/r"),
    ("user:", "@host.org:o/r.git", "ssh://host.org/o/r"),
    ("git://user:", "@host.org/o/r", "git://host.org/o/r"),
    ("x-other://user:", "@host.org/o/r", "x-other://host.org/o/r"),
    ("file://user:", "@host.org/o/r", "file://host.org/o/r"),
    ("hg::https://user:", "@host.org/o/r", "hg::https://host.org/o/r"),
    ("https://proxy.org/https://user:", "@host.org/o/r", "https://proxy.org/https://host.org/o/r"),
    ("https:/user:", "@host.org/o/r", "https://host.org/o/r"),
    ("https:user:", "@host.org/o/r", "https://host.org/o/r"),
    ("//user:", "@host.org/o/r", "//host.org/o/r"),
];
const BEHIND: &[(&str, &str)] = &[
    ("https://host.org/o/r?token=", "https://host.org/o/r"),
    ("https://host.org/o/r#", "https://host.org/o/r"),
    ("git@host.org:o/r?token=", "ssh://host.org/o/r"),
];

fn run(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let home = Home::new();
    let store = home.open(home.options()).map_err(|error| error.to_json())?;
    let refused = text.len() > MAX_URL_BYTES || text.contains('\0');
    let kinds: &[ErrorKind] = if refused { &[ErrorKind::Validation] } else { &[] };
    match call(&store, "repo.sanitizeRemoteUrl", &json!({ "url": text }), kinds)? {
        Err(_) => {}
        Ok(_) if refused => return Err("it should be refused".to_owned()),
        Ok(result) => {
            let result: Value = serde_json::from_str(&result).map_err(|fault| fault.to_string())?;
            is_clean(&text, result["url"].as_str().unwrap_or_default())?;
        }
    }
    for (url, expected) in with_password(&text) {
        if url.len() > MAX_URL_BYTES {
            continue;
        }
        let clean = sanitize_remote_url(&url).map_err(|error| error.to_json())?;
        must(clean == expected, || format!("{url:?} becomes {clean:?}, not {expected:?}"))?;
    }
    Ok(())
}

fn is_clean(url: &str, clean: &str) -> Verdict {
    let again = sanitize_remote_url(clean).map_err(|error| error.to_json())?;
    must(again == clean, || format!("{url:?} becomes {clean:?} and that {again:?}"))?;
    let has_tail = clean.contains(['?', '#']) || clean.ends_with(|c: char| c == '/' || c.is_whitespace());
    let is_bare = clean.ends_with("://");
    must(!has_tail || is_bare, || format!("{url:?} keeps its tail: {clean:?}"))?;
    let Some((scheme, rest)) = clean.split_once("://") else { return Ok(()) };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let authority = rest.split('/').next().unwrap_or_default();
    let has_user = is_scheme && scheme != "file" && authority.contains('@');
    must(!has_user, || format!("{url:?} keeps its user: {clean:?}"))
}

/// `text` as a password, escaped and as it is, in URLs of every form.
fn with_password(text: &str) -> Vec<(String, String)> {
    let escaped: String = text
        .bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    // Everybody who reads URLs ends them there.
    let raw: String = text.chars().filter(|c| !c.is_whitespace() && !"/?#".contains(*c)).collect();
    let tail: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut urls = Vec::new();
    for password in [&escaped, &raw] {
        urls.extend(
            AROUND.iter().map(|(before, after, clean)| (format!("{before}{password}{after}"), (*clean).to_owned())),
        );
    }
    urls.extend(BEHIND.iter().map(|(before, clean)| (format!("{before}{tail}"), (*clean).to_owned())));
    urls
}

fn words() -> Vec<String> {
    let words = "https:// http:// ssh:// git+ssh:// file:// git:// x:// HTTPS:// :// @ : :: / // :443 :80 :22 .git .git/ \
                 ? # [ ] [::1] [fe80::1%25eth0] user: git@ host host.org C:\\ C: ~/ ../ %40 %2F %3A xn--bcher-kva é";
    words.split(' ').map(str::to_owned).collect()
}

fn begin(rng: &mut Rng) -> Vec<u8> {
    let words = words();
    let count = rng.below(8);
    (0..count).map(|_| rng.pick(&words).as_str()).collect::<String>().into_bytes()
}

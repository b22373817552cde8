//! Removing credentials from remote URLs (spec 000, "Remote URL sanitization").
//!
//! Takes time linear in the length of the URL, which may come from an untrusted repository.

use std::borrow::Cow;

use crate::error::{Error, Result};

/// The longest URL that callers may pass, in bytes.
pub const MAX_URL_BYTES: usize = 16 << 10;
/// The operation of [`sanitize_remote_url`].
pub(crate) const OPERATION: &str = "repo.sanitizeRemoteUrl";

/// Returns `url` without user, password, default port, query, fragment and trailing slashes.
///
/// The path of an HTTP URL is preserved; both forms of SSH URLs become `ssh://host/path` without port and `.git`.
/// Anything else, such as a folder or a URL with another scheme, keeps its form and loses its credentials. Credentials
/// of nested URLs, as used by proxies, are removed as well. The function is idempotent.
///
/// ```
/// use loopmem::repo::sanitize_remote_url;
///
/// let url = sanitize_remote_url("https://user:token@github.com:443/owner/repo/?foo=bar#section")?;
/// assert_eq!(url, "https://github.com/owner/repo");
/// assert_eq!(sanitize_remote_url("git@github.com:owner/repo.git")?, "ssh://github.com/owner/repo");
/// # Ok::<(), loopmem::Error>(())
/// ```
///
/// # Errors
/// `ValidationError` if the URL is longer than [`MAX_URL_BYTES`].
pub fn sanitize_remote_url(url: &str) -> Result<String> {
    if url.len() > MAX_URL_BYTES {
        let refused = Error::validation(format!("url must be at most {MAX_URL_BYTES} bytes long"));
        return Err(refused.in_operation(OPERATION));
    }
    Ok(sanitized(url))
}

/// As [`sanitize_remote_url`], for a URL of any length.
pub(super) fn sanitized(url: &str) -> String {
    let (helpers, url) = split_helpers(url.trim());
    helpers + &without_credentials(url)
}

/// Whether two sanitized URLs lead to the same repository, whatever the protocol, port, user or case, and with or without a `.git`
/// at the end. A relative path leads elsewhere from each folder.
pub(crate) fn is_same_place(one: &str, other: &str) -> bool {
    place(one).is_some_and(|place| Some(place) == self::place(other))
}

/// The host and path of a sanitized URL, or the path of a folder; `None` for a relative one.
fn place(url: &str) -> Option<String> {
    let without_git = |path: &str| {
        let path = path.trim_end_matches('/');
        path.strip_suffix(".git").unwrap_or(path).to_owned()
    };
    match url.split_once("://") {
        Some((scheme, rest)) if scheme != "file" => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
            let host = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(host, _)| host);
            Some(without_git(&format!("{host}/{}", path.trim_start_matches('/')).to_lowercase()))
        }
        Some((_, path)) => Some(without_git(path)),
        None => url.starts_with('/').then(|| without_git(url)),
    }
}

/// Splits off the names of git's remote helpers, such as `hg::` in `hg::https://host/a`.
fn split_helpers(url: &str) -> (String, &str) {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let (mut helpers, mut address) = (String::new(), url);
    while let Some(next) =
        address.trim_start_matches(is_of_name).strip_prefix("::").filter(|_| !address.starts_with(':'))
    {
        helpers.push_str(&address[..address.len() - next.len()]);
        address = next.trim_start();
    }
    match address.split_once("://") {
        Some((scheme, _)) if is_scheme(scheme) => (helpers, address),
        // `user::pass@host:path` has no helper.
        _ => (String::new(), url),
    }
}

fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = split_scheme(url) else {
        if let Some(location) = scp(url) {
            return ssh(&location);
        }
        let clean = without_inner_userinfo(url);
        let folder = without_tail(&clean);
        // Without the tail, the URL may parse differently.
        return if folder == url { url.to_owned() } else { sanitized(folder) };
    };
    let scheme = scheme.to_ascii_lowercase();
    match scheme.as_str() {
        "ssh" | "git+ssh" | "ssh+git" => ssh(rest),
        "https" => http("https", rest, "443"),
        "http" => http("http", rest, "80"),
        "file" => format!("file://{}", without_tail(&without_inner_userinfo(without_userinfo(rest)))),
        other => with_host(other, &without_inner_userinfo(without_userinfo(rest)), None),
    }
}

/// Splits at `://`. After `http` and `https` the slashes may be missing, since no host has these names.
fn split_scheme(url: &str) -> Option<(&str, &str)> {
    let is_http = |(scheme, _): &(&str, &str)| ["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it));
    let with_slashes = || url.split_once("://").filter(|(scheme, _)| is_scheme(scheme));
    url.split_once(':').filter(is_http).or_else(with_slashes)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Converts `[user@]host:path` to `host/path`; as in git, the colon must precede the first slash. `None` for a folder.
/// A host in `[…]` is an IPv6 address, or a host and a port.
fn scp(url: &str) -> Option<String> {
    let (before_slash, _) = split_path(url);
    // A password may contain a slash if a host and a path follow its `@`.
    let behind_slash = || {
        let at = url.find('@').filter(|_| before_slash.contains(':'))?;
        let (host, _) = split_path(&url[at + 1..]);
        host.contains(['@', ':']).then(|| host.rfind('@').map_or(at, |last| at + 1 + last))
    };
    let userinfo = before_slash.rfind('@').or_else(behind_slash).map(|at| &url[..at]);
    let location = without_inner_userinfo(userinfo.map_or(url, |userinfo| &url[userinfo.len() + 1..]));
    let location = without_tail(&location);
    // Removes a password even if git would parse the URL differently.
    let without_password = || userinfo.is_some_and(|userinfo| userinfo.contains(':')).then(|| location.to_owned());
    let (before_slash, _) = split_path(location);
    let host_end = match location.find(']') {
        _ if !location.starts_with('[') => 0,
        Some(end) => end,
        None => return without_password(),
    };
    match before_slash.get(host_end..).and_then(|rest| rest.find(':')).map(|colon| host_end + colon) {
        // `C:\repo` and `C:/repo` are folders.
        Some(1) if userinfo.is_none() && location.starts_with(|c: char| c.is_ascii_alphabetic()) => None,
        Some(0) | None => without_password(),
        Some(colon) => {
            let host = &location[..colon];
            let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
            let host = inner.filter(|inner| inner.matches(':').count() < 2).unwrap_or(host);
            Some(format!("{host}/{}", location[colon + 1..].trim_start_matches('/')))
        }
    }
}

/// Converts `[user@]host[:port]/path` to `ssh://host/path`.
fn ssh(rest: &str) -> String {
    let rest = without_inner_userinfo(without_userinfo(rest.trim_start_matches('/')));
    let (authority, mut path) = split_path(without_tail(&rest));
    // Repeated so that the result is stable: `repo.git.git`, and `.git/` before another.
    while let Some(shorter) = path.strip_suffix(".git") {
        path = shorter.trim_end_matches(is_trailing);
    }
    match split_port(authority, path, |_| true) {
        ("", _) => "ssh://".to_owned(),
        (host, _port) => format!("ssh://{}{path}", host.to_ascii_lowercase()),
    }
}

fn http(scheme: &str, rest: &str, default_port: &str) -> String {
    let rest = without_inner_userinfo(without_userinfo(rest.trim_start_matches('/')));
    match with_host(scheme, &rest, Some(default_port)) {
        // Without a host the URL is invalid, and its path may begin with credentials.
        url if url[scheme.len()..].starts_with(":///") => format!("{scheme}://"),
        url => url,
    }
}

/// Formats `scheme://host[:port]/path`; credentials were removed before.
fn with_host(scheme: &str, rest: &str, default_port: Option<&str>) -> String {
    let (authority, path) = split_path(without_tail(rest));
    let (host, port) = split_port(authority, path, |port| Some(port) == default_port);
    let host = host.to_ascii_lowercase();
    match port {
        Some(port) => format!("{scheme}://{host}:{port}{path}"),
        None => format!("{scheme}://{host}{path}"),
    }
}

/// Removes query, fragment and trailing slashes.
fn without_tail(text: &str) -> &str {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    text[..end].trim_end_matches(is_trailing)
}

fn is_trailing(c: char) -> bool {
    c == '/' || c.is_whitespace()
}

/// Removes `user:password@`. A password may contain any unescaped character, even a slash or an `@`; a port, or an `@`
/// in the path, is not a password. Repeated, since malformed URLs have several.
fn without_userinfo(mut rest: &str) -> &str {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    loop {
        let (authority, path) = split_path(rest);
        if let Some(at) = authority.rfind('@') {
            rest = &rest[at + 1..];
            continue;
        }
        let has_password =
            authority.split_once(':').is_some_and(|(_, after)| !is_port(after) && !after.starts_with(']'));
        let Some(at) = path.find('@').filter(|_| has_password).map(|at| authority.len() + at) else { return rest };
        let end = rest[at..].find('/').map_or(rest.len(), |slash| at + slash);
        let last = rest[..end].rfind('@').unwrap_or(at);
        rest = &rest[last + 1..];
    }
}

/// Removes user and password from URLs nested in `text`, such as a proxy's path (`proxy/https://user@host/…`). After
/// other slashes that do not begin a path (`ssh:/user:password@host`, `//user:password@host`), only credentials with a
/// password are removed.
fn without_inner_userinfo(text: &str) -> Cow<'_, str> {
    let Some(last_at) = text.rfind('@') else { return text.into() };
    let mut clean = String::new();
    let (mut copied, mut seen) = (0, 0);
    while let Some(slash) = text.get(seen..last_at).and_then(|text| text.find('/')).map(|slash| seen + slash) {
        let mut start = text.len() - text[slash..].trim_start_matches('/').len();
        seen = start;
        let (behind_colon, mut slashes) = (text[..slash].ends_with(':'), start - slash);
        let mut begins_url = behind_colon || slashes > 1;
        while begins_url {
            let rest = &text[start..];
            let userinfo = &rest[..rest.len() - without_userinfo(rest).len()];
            if userinfo.is_empty() || !((behind_colon && slashes > 1) || userinfo.contains(':')) {
                break;
            }
            clean.push_str(&text[copied..start]);
            copied = start + userinfo.len();
            // Slashes after it join those before it.
            start = text.len() - text[copied..].trim_start_matches('/').len();
            seen = start;
            slashes += start - copied;
            begins_url = start > copied;
        }
    }
    clean.push_str(&text[copied..]);
    clean.into()
}

/// Splits before the first slash.
fn split_path(location: &str) -> (&str, &str) {
    location.split_at(location.find('/').unwrap_or(location.len()))
}

/// Splits an `authority` before `path` into host and port, removing `unwanted` ports; a colon in `[…]` belongs to an
/// IPv6 address.
fn split_port<'a>(mut authority: &'a str, path: &str, unwanted: impl Fn(&str) -> bool) -> (&'a str, Option<&'a str>) {
    let from = authority.rfind(']').unwrap_or(0);
    loop {
        // Blanks before a path belong to the host; at the end of the URL a second pass would remove them.
        authority = authority.trim_end_matches(|c: char| c == ':' || (path.is_empty() && c.is_whitespace()));
        let colon = authority.get(from..).and_then(|rest| rest.rfind(':')).map(|colon| from + colon);
        match colon.map(|colon| (&authority[..colon], &authority[colon + 1..])) {
            Some((host, port)) if unwanted(port) => authority = host,
            Some((host, port)) => return (host, Some(port)),
            None => return (authority, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MAX_URL_BYTES, sanitize_remote_url, sanitized};
    use crate::error::ErrorKind;

    #[test]
    fn every_rule_of_the_spec_holds() {
        for (url, clean) in [
            ("https://user:token@github.com:443/owner/repo/?foo=bar#section", "https://github.com/owner/repo"),
            ("HTTPS://GitHub.com/Owner/Repo.git", "https://github.com/Owner/Repo.git"),
            ("http://host:80/a/", "http://host/a"),
            ("http://host:8080/a", "http://host:8080/a"),
            ("https://host:80/a", "https://host:80/a"),
            ("git@github.com:owner/repo.git", "ssh://github.com/owner/repo"),
            ("ssh://user@github.com:22/owner/repo.git?foo=bar", "ssh://github.com/owner/repo"),
            ("SSH://git@Host:2222/a.git/", "ssh://host/a"),
            ("git+ssh://git@host/a", "ssh://host/a"),
            ("github.com:owner/repo", "ssh://github.com/owner/repo"),
            ("user:pa:ss@host:repo", "ssh://host/repo"),
            ("user:pass@[host:repo", "ssh://[host"),
            ("git@[::1]:repo.git", "ssh://[::1]/repo"),
            ("https://u:p@[::1]:8443/a", "https://[::1]:8443/a"),
            ("https://user:pa/ss@host/repo", "https://host/repo"),
            ("https://host:8080/owner/repo@v1", "https://host:8080/owner/repo@v1"),
            ("git://host/a.git", "git://host/a.git"),
            ("file:///srv/git/a.git", "file:///srv/git/a.git"),
            ("file:///srv/a:b@c/a.git", "file:///srv/a:b@c/a.git"),
            ("file://user:pass@host/a.git", "file://host/a.git"),
            ("file://C:/a", "file://C:/a"),
            ("hg::HTTPS://user:pass@Host:443/a", "hg::https://host/a"),
            ("a::b::x://user@Host/a", "a::b::x://host/a"),
            ("user::pass@host:a", "ssh://host/a"),
            ("https://proxy/https://token@host/a", "https://proxy/https://host/a"),
            ("https:/user:pass@host/a", "https://host/a"),
            ("ssh:/user:pass@host/a", "ssh://ssh/host/a"),
            ("https:///user:pass@host/a", "https://host/a"),
            ("https://:443/a:b@c", "https://"),
            ("//user:pass@host/a", "//host/a"),
            ("host:/srv/@scope/a", "ssh://host/srv/@scope/a"),
            ("/srv/git/a.git/", "/srv/git/a.git"),
            ("../a", "../a"),
            (r"C:\repos\a", r"C:\repos\a"),
        ] {
            assert_eq!(sanitized(url), clean, "{url}");
        }
    }

    #[test]
    fn a_url_that_is_too_long_is_refused() {
        let url = |bytes: usize| format!("https://{}", "h".repeat(bytes - "https://".len()));
        assert_eq!(sanitize_remote_url(&url(MAX_URL_BYTES)).unwrap(), url(MAX_URL_BYTES));
        let refused = sanitize_remote_url(&url(MAX_URL_BYTES + 1)).unwrap_err();
        assert_eq!((refused.kind(), refused.operation()), (ErrorKind::Validation, Some("repo.sanitizeRemoteUrl")));
    }

    #[test]
    fn a_long_malformed_url_takes_no_longer_than_its_length() {
        for part in
            [":443", "/.git", "@a:b/", "a:b@/", " :", "]:443", "://a:b", "//", "://a:b@", ":/a@b", "a::", "a:: "]
        {
            for start in ["https://h", "ssh://h", "h:x", "u:p@h:x", "/", "x:///"] {
                let url = format!("{start}{}", part.repeat((1 << 18) / part.len()));
                // Quadratic work would take minutes.
                let clean = sanitized(&url);
                assert_eq!(sanitized(&clean), clean, "{start}{part}…");
            }
        }
    }

    proptest! {
        #[test]
        fn sanitizing_malformed_urls_twice_changes_nothing(url in "(ssh://|https://|http://|x://)?(a|b|:|::|@|/|//|x://|https:|a::|\\?|#|\\[|\\]|\\.git|:443|:80| ){0,14}") {
            let once = sanitized(&url);
            prop_assert_eq!(sanitized(&once), once.clone());
        }

        #[test]
        fn sanitizing_twice_changes_nothing(url in "([a-zA-Z+]{1,7}://)?([a-z:@/]{0,6}@)?[a-zA-Z0-9.\\[\\]:]{0,12}[:/?#@]{0,3}[a-z./@:?# git]{0,16}") {
            let once = sanitized(&url);
            prop_assert_eq!(sanitized(&once), once.clone());
        }

        #[test]
        fn no_text_makes_it_panic(url in any::<String>()) {
            sanitized(&url);
        }

        #[test]
        fn no_credential_survives(
            form in 0..5_usize,
            user in "[a-z]{1,8}",
            // With a slash followed by an `@`, a password cannot be distinguished from a path.
            password in "Q[A-Za-z0-9:/?#!$%&+=~-]{6,20}Q|Q[A-Za-z0-9:@?#!$%&+=~-]{6,20}Q",
            host in "[a-z]{1,8}\\.org",
        ) {
            let url = match form {
                0 => format!("https://{user}:{password}@{host}/owner/repo"),
                1 => format!("ssh://{user}:{password}@{host}:22/owner/repo.git"),
                2 => format!("https://{host}/owner/repo?token={password}"),
                3 => format!("{user}:{password}@{host}:owner/repo"),
                _ => format!("git://{user}:{password}@{host}/owner/repo#x"),
            };
            let clean = sanitized(&url);
            prop_assert!(!clean.contains(&password), "{}", clean);
        }
    }
}

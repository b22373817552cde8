//! Who commits: the user that git's environment and configuration name. A repository has no say.

use super::Files;
use super::config::Config;
use crate::error::Result;

/// The name and the address of the user, if they are set.
///
/// # Errors
/// `GitError` naming the file that cannot be read or is invalid; `Cancelled`.
pub(crate) fn user(files: &Files<'_>) -> Result<(Option<String>, Option<String>)> {
    let config = Config::trusted(files)?;
    let of = |variable: &str, key: &str| {
        let set = files.environment.get_nonempty(variable).map(|value| value.to_string_lossy().into_owned());
        set.or_else(|| config.get(key.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned()))
    };
    Ok((of("GIT_AUTHOR_NAME", "user.name"), of("GIT_AUTHOR_EMAIL", "user.email")))
}

//! The rules that are no provider's: their ids, by which detectors say what they found, and what they find.

use super::{Rule, RuleKind, rule};

pub(crate) const AUTHORIZATION: &str = "authorization";
pub(crate) const COOKIE: &str = "cookie";
pub(crate) const TOLD_PASSWORD: &str = "told-password";
pub(crate) const ENVIRONMENT_VALUE: &str = "environment-value";
pub(crate) const KEYED_VALUE: &str = "keyed-value";
pub(crate) const PRIVATE_KEY: &str = "private-key";
pub(crate) const PASSWORD_FILE: &str = "password-file";
pub(crate) const KUBERNETES: &str = "kubernetes-secret";
pub(crate) const URL_PASSWORD: &str = "url-password";
pub(crate) const WEBHOOK_URL: &str = "webhook-url";
pub(crate) const JWT: &str = "jwt";
pub(crate) const STORAGE_KEY: &str = "azure-storage-key";
pub(crate) const PREFIXED: &str = "prefixed-token";

/// The rules that are no provider's.
pub(super) static GENERAL: &[Rule] = &[
    rule(PRIVATE_KEY, "Private key in PEM, OpenSSH's or PuTTY's format, whole or cut off", RuleKind::Structure),
    rule(JWT, "JSON Web Token, signed or encrypted", RuleKind::Structure),
    rule(STORAGE_KEY, "Key of an Azure storage account", RuleKind::Provider),
    rule(
        PREFIXED,
        "Token of a provider that no rule knows: a prefix and thirty random characters",
        RuleKind::Structure,
    ),
    rule(PASSWORD_FILE, "Password in a netrc or pgpass file", RuleKind::Structure),
    rule(KUBERNETES, "Value of a Kubernetes Secret", RuleKind::Structure),
    rule(AUTHORIZATION, "Credential of an Authorization header, or behind Bearer or Basic", RuleKind::Structure),
    rule(COOKIE, "Value of a session's cookie", RuleKind::Structure),
    rule(URL_PASSWORD, "Password of a URL or DSN, or the token in its user's place", RuleKind::Structure),
    rule(WEBHOOK_URL, "Address of a webhook, which lets anybody post", RuleKind::Structure),
    rule(
        KEYED_VALUE,
        "Value under a name that ends in a secret's word: DB_PASSWORD=, apiKey:, --token",
        RuleKind::Keyed,
    ),
    rule(TOLD_PASSWORD, "Password that a sentence tells", RuleKind::Prose),
    rule(
        ENVIRONMENT_VALUE,
        "Value of an environment variable whose name ends in a secret's word",
        RuleKind::Environment,
    ),
];

//! The rules that belong to no provider: their ids and descriptions.

use super::{Rule, RuleKind, rule};

pub(crate) const AUTHORIZATION: &str = "authorization";
pub(crate) const COOKIE: &str = "cookie";
pub(crate) const PASSWORD_IN_TEXT: &str = "password-in-text";
pub(crate) const ENVIRONMENT_VALUE: &str = "environment-value";
pub(crate) const KEYED_VALUE: &str = "keyed-value";
pub(crate) const PRIVATE_KEY: &str = "private-key";
pub(crate) const PASSWORD_FILE: &str = "password-file";
pub(crate) const KUBERNETES: &str = "kubernetes-secret";
pub(crate) const URL_PASSWORD: &str = "url-password";
pub(crate) const SEED_PHRASE: &str = "seed-phrase";
pub(crate) const WEBHOOK_URL: &str = "webhook-url";
pub(crate) const JWT: &str = "jwt";
pub(crate) const STORAGE_KEY: &str = "azure-storage-key";
pub(crate) const PREFIXED: &str = "prefixed-token";

/// The rules that belong to no provider.
pub(super) static GENERAL: &[Rule] = &[
    rule(
        PRIVATE_KEY,
        "Private key in PEM, OpenSSH or PuTTY format, complete, truncated or without its header",
        RuleKind::Structure,
    ),
    rule(JWT, "JSON Web Token, signed or encrypted", RuleKind::Structure),
    rule(STORAGE_KEY, "Key of an Azure storage, Cosmos DB or Batch account", RuleKind::Provider),
    rule(PREFIXED, "Token of a provider without a rule: a prefix and thirty random characters", RuleKind::Structure),
    rule(
        PASSWORD_FILE,
        "Password in a netrc or pgpass file, or its hash in an htpasswd or shadow file",
        RuleKind::Structure,
    ),
    rule(KUBERNETES, "Value of a Kubernetes Secret", RuleKind::Structure),
    rule(AUTHORIZATION, "Credential of an Authorization header, or after Bearer or Basic", RuleKind::Structure),
    rule(COOKIE, "Value of a session cookie", RuleKind::Structure),
    rule(URL_PASSWORD, "Password in a URL or DSN, or a token in place of its user", RuleKind::Structure),
    rule(WEBHOOK_URL, "Webhook address, which lets anyone post", RuleKind::Structure),
    rule(SEED_PHRASE, "Seed phrase of a wallet: twelve to twenty-four words of BIP-39", RuleKind::Structure),
    rule(
        KEYED_VALUE,
        "Value of a name that ends in a word for a secret: DB_PASSWORD=, apiKey:, --token",
        RuleKind::Keyed,
    ),
    rule(PASSWORD_IN_TEXT, "Password stated in a sentence", RuleKind::Prose),
    rule(
        ENVIRONMENT_VALUE,
        "Value of an environment variable whose name ends in a word for a secret",
        RuleKind::Environment,
    ),
];

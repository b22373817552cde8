//! The catalogue: every rule by its id, what it finds, and of which kind it is.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::providers::PROVIDERS;
use super::shapes::SHAPES;
use super::{environment, headers, keyed, prose, structures, tokens, urls};

/// By what a rule knows a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum RuleKind {
    /// The shape that a provider gives its tokens.
    Provider,
    /// A format that holds secrets: a private key, a JWT, a password file.
    Structure,
    /// The name under which it stands.
    Keyed,
    /// What is said around it.
    Prose,
    /// The environment of the process.
    Environment,
    /// A pattern of the user's own.
    Custom,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SecretRule")]
pub struct Rule {
    /// Its id, which stands in the placeholders: small letters, digits and hyphens.
    pub id: Cow<'static, str>,
    /// What it finds.
    pub description: Cow<'static, str>,
    /// By what it knows a secret.
    pub kind: RuleKind,
}

const fn rule(id: &'static str, description: &'static str, kind: RuleKind) -> Rule {
    Rule { id: Cow::Borrowed(id), description: Cow::Borrowed(description), kind }
}

/// The rules that are no provider's.
static GENERAL: &[Rule] = &[
    rule(
        structures::PRIVATE_KEY,
        "Private key in PEM, OpenSSH's or PuTTY's format, whole or cut off",
        RuleKind::Structure,
    ),
    rule(tokens::JWT, "JSON Web Token, signed or encrypted", RuleKind::Structure),
    rule(tokens::STORAGE_KEY, "Key of an Azure storage account", RuleKind::Provider),
    rule(
        tokens::PREFIXED,
        "Token of a provider that no rule knows: a prefix and thirty random characters",
        RuleKind::Structure,
    ),
    rule(structures::PASSWORD_FILE, "Password in a netrc or pgpass file", RuleKind::Structure),
    rule(structures::KUBERNETES, "Value of a Kubernetes Secret", RuleKind::Structure),
    rule(
        headers::AUTHORIZATION,
        "Credential of an Authorization header, or behind Bearer or Basic",
        RuleKind::Structure,
    ),
    rule(headers::COOKIE, "Value of a session's cookie", RuleKind::Structure),
    rule(urls::PASSWORD, "Password of a URL or DSN, or the token in its user's place", RuleKind::Structure),
    rule(urls::WEBHOOK, "Address of a webhook, which lets anybody post", RuleKind::Structure),
    rule(
        keyed::RULE,
        "Value under a name that ends in a secret's word: DB_PASSWORD=, apiKey:, --token",
        RuleKind::Keyed,
    ),
    rule(prose::RULE, "Password that a sentence tells", RuleKind::Prose),
    rule(
        environment::RULE,
        "Value of an environment variable whose name ends in a secret's word",
        RuleKind::Environment,
    ),
];

/// Every built-in rule, in the order in which they are told.
pub(super) fn built_in() -> impl Iterator<Item = Rule> {
    let providers = PROVIDERS.iter().map(|provider| rule(provider.rule, provider.description, RuleKind::Provider));
    let shapes = SHAPES.iter().map(|shape| rule(shape.rule, shape.description, RuleKind::Provider));
    providers.chain(shapes).chain(GENERAL.iter().cloned())
}

/// How telling a rule's name is, the most telling first: of overlapping findings that name stands.
pub(super) fn precedence(id: &str) -> usize {
    match GENERAL.iter().find(|rule| rule.id == id).map(|rule| rule.kind) {
        Some(RuleKind::Provider) => 0,
        Some(RuleKind::Structure) => 1,
        Some(RuleKind::Environment) => 2,
        Some(RuleKind::Keyed) => 4,
        Some(RuleKind::Prose) => 5,
        // A provider's, which has the longest list, or the user's own.
        _ if PROVIDERS.iter().any(|provider| provider.rule == id) || SHAPES.iter().any(|shape| shape.rule == id) => 0,
        _ => 3,
    }
}

//! The catalogue: every rule by its id, what it finds, and of which kind it is.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

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
    rule("keyed-value", "The value under a name that ends in a secret's word: DB_PASSWORD=, apiKey:", RuleKind::Keyed),
    rule("url-password", "The password, or the token in its place, of a URL or DSN", RuleKind::Keyed),
    rule("authorization", "The credential behind Bearer, Basic or another scheme", RuleKind::Keyed),
    rule(
        "environment-value",
        "The value of an environment variable whose name ends in a secret's word",
        RuleKind::Environment,
    ),
];

/// Every built-in rule, in the order in which they are told.
pub(super) fn built_in() -> impl Iterator<Item = Rule> {
    GENERAL.iter().cloned()
}

/// How telling a rule's name is, the most telling first: of overlapping findings that name stands.
pub(super) fn precedence(id: &str) -> usize {
    match built_in().find(|rule| rule.id == id).map(|rule| rule.kind) {
        Some(RuleKind::Provider) => 0,
        Some(RuleKind::Structure) => 1,
        Some(RuleKind::Environment) => 2,
        None | Some(RuleKind::Custom) => 3,
        Some(RuleKind::Keyed) => 4,
        Some(RuleKind::Prose) => 5,
    }
}

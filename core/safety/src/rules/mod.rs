//! The catalogue: every rule by its id, what it finds, and of which kind it is.

pub(crate) mod general;
pub(crate) mod providers;
pub(crate) mod shapes;

use std::borrow::Cow;

use serde::Serialize;

use general::GENERAL;
use providers::PROVIDERS;
use shapes::SHAPES;

/// By what a rule knows a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(inline))]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "SecretRule"))]
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

/// Every built-in rule, in the order in which they are told.
pub(crate) fn built_in() -> impl Iterator<Item = Rule> {
    let providers = PROVIDERS.iter().map(|provider| rule(provider.rule, provider.description, RuleKind::Provider));
    let shapes = SHAPES.iter().map(|shape| rule(shape.rule, shape.description, RuleKind::Provider));
    providers.chain(shapes).chain(GENERAL.iter().cloned())
}

/// How telling a rule's name is, the most telling first: of overlapping findings that name stands.
pub(crate) fn precedence(id: &str) -> usize {
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

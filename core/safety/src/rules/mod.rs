//! The catalogue: every rule with its id, its description and its kind.

pub(crate) mod general;
pub(crate) mod providers;
pub(crate) mod shapes;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use general::GENERAL;
use providers::PROVIDERS;
use shapes::SHAPES;

/// How a rule recognizes a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(inline))]
pub enum RuleKind {
    /// By the format that a provider gives its tokens.
    Provider,
    /// By a format that holds secrets: a private key, a JWT, a password file.
    Structure,
    /// By the name of the value.
    Keyed,
    /// By the sentence around it.
    Prose,
    /// By the environment of the process.
    Environment,
    /// By a pattern of the user.
    Custom,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "SecretRule"))]
pub struct Rule {
    /// Its id, which appears in placeholders: lower-case letters, digits and hyphens.
    pub id: Cow<'static, str>,
    /// What it finds.
    pub description: Cow<'static, str>,
    /// How it recognizes a secret.
    pub kind: RuleKind,
}

const fn rule(id: &'static str, description: &'static str, kind: RuleKind) -> Rule {
    Rule { id: Cow::Borrowed(id), description: Cow::Borrowed(description), kind }
}

/// All built-in rules, in the order in which they are listed.
pub(crate) fn built_in() -> impl Iterator<Item = Rule> {
    let providers = PROVIDERS.iter().map(|provider| rule(provider.rule, provider.description, RuleKind::Provider));
    let shapes = SHAPES.iter().map(|shape| rule(shape.rule, shape.description, RuleKind::Provider));
    providers.chain(shapes).chain(GENERAL.iter().cloned())
}

/// How specific a rule is, most specific first: overlapping findings get the most specific rule.
pub(crate) fn precedence(id: &str) -> usize {
    match GENERAL.iter().find(|rule| rule.id == id).map(|rule| rule.kind) {
        Some(RuleKind::Provider) => 0,
        Some(RuleKind::Structure) => 1,
        Some(RuleKind::Environment) => 2,
        Some(RuleKind::Keyed) => 4,
        Some(RuleKind::Prose) => 5,
        // A provider's rule, from the longest lists, or the user's own.
        _ if PROVIDERS.iter().any(|provider| provider.rule == id) || SHAPES.iter().any(|shape| shape.rule == id) => 0,
        _ => 3,
    }
}

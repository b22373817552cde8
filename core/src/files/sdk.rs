//! Anthropic's SDKs, which a file tool may resemble.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of Anthropic's SDKs, whose file tools differ in a few texts, in what a folder lists, and in what an insertion does at the
/// end of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Sdk {
    /// The SDK for Python.
    #[default]
    Python,
    /// The SDK for TypeScript.
    TypeScript,
}

//! Tests of the merge: its rules, and what holds for any versions.

mod properties;
mod rules;

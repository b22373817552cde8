//! Does nothing: with a build script, the features of build dependencies count for the crates that build others.

fn main() {}

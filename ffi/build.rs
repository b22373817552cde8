//! Gives the shared library its name: without one, hosts would remember the path it was linked from.

#![allow(clippy::disallowed_methods, reason = "cargo tells build scripts the target through the environment")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libloopmem.so");
    }
}

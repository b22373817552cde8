//! Lets the linker leave Node's own symbols to Node.

fn main() {
    napi_build::setup();
}

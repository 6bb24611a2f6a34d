//! Neither a C library nor its start-up code: what is linked is what is here, and on a chip where it has its place.

use std::env::var;

fn main() {
    let (system, processor) = (var("CARGO_CFG_TARGET_OS"), var("CARGO_CFG_TARGET_ARCH"));
    let arguments: &[&str] = match (system.as_deref(), processor.as_deref()) {
        (Ok("linux"), _) => &["-nostdlib", "-nostartfiles", "-static", "-no-pie"],
        (_, Ok("arm")) => &["-Tmicrobit.ld"],
        (_, Ok("wasm32")) => &["--export=status"],
        _ => &[],
    };
    for argument in arguments {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    println!("cargo::rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=microbit.ld");
}

//! Records which compiler built the adapters, because Rust has no runtime that knows its version.

use std::process::Command;

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(compiler).arg("--version").output().expect("the compiler that builds this tells its version");
    // "rustc 1.95.0 (59807616e 2026-04-14)": name and number are enough.
    let version: Vec<String> = String::from_utf8_lossy(&output.stdout).split_whitespace().take(2).map(str::to_owned).collect();
    println!("cargo::rustc-env=CALLBENCH_RUSTC={}", version.join(" "));
    println!("cargo::rerun-if-changed=build.rs");
}

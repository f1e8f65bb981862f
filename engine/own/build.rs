//! Chooses the service that is compiled in: the file that `CALLBENCH_OWN` names, or none.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-env-changed=CALLBENCH_OWN");
    let named = std::env::var_os("CALLBENCH_OWN").map(PathBuf::from);
    let chosen = named.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/none.rs"));
    println!("cargo::rerun-if-changed={}", chosen.display());
    println!("cargo::rustc-env=CALLBENCH_OWN_FILE={}", chosen.display());
}

//! Writes the versions of the libraries that messages and channels are built on, as the lock file has them, for the adapter's `hello`.

use std::fmt::Write as _;
use std::path::Path;

const NAMED: [&str; 10] = ["flate2", "hyper", "lz4_flex", "prost", "quick-xml", "rmp-serde", "serde_json", "tokio", "zlib-rs", "zstd-safe"];

fn main() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let mut table = format!("/// Library and version.\npub const LIBRARIES: [(&str, &str); {}] = [\n", NAMED.len());
    for name in NAMED {
        let version = text
            .split_once(&format!("name = \"{name}\"\nversion = \""))
            .and_then(|(_, rest)| rest.split_once('"'))
            .map_or_else(|| panic!("{name} is not in the lock file"), |(version, _)| version);
        writeln!(table, "    (\"{name}\", \"{version}\"),").unwrap_or_else(|_| unreachable!("writing to a string"));
    }
    table.push_str("];\n");
    let out = std::env::var("OUT_DIR").unwrap_or_else(|_| panic!("cargo sets OUT_DIR"));
    std::fs::write(Path::new(&out).join("libraries.rs"), table).unwrap_or_else(|error| panic!("libraries.rs: {error}"));
}

//! Writes the versions of the libraries that messages and channels are built on, as the lock file has them, for the adapter's `hello`. Which
//! they are is in the manifest's table `[libraries]`.

use std::fmt::Write as _;
use std::path::Path;

fn read(path: &Path) -> String {
    println!("cargo::rerun-if-changed={}", path.display());
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (lock, manifest) = (read(&here.join("../Cargo.lock")), read(&here.join("adapter.toml")));
    let named = manifest.lines().skip_while(|line| *line != "[libraries]").skip(1).take_while(|line| !line.starts_with('['));
    let named: Vec<&str> = named.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
    let mut table = format!("/// Library and version.\npub const LIBRARIES: [(&str, &str); {}] = [\n", named.len());
    for name in named {
        let version = lock
            .split_once(&format!("name = \"{name}\"\nversion = \""))
            .and_then(|(_, rest)| rest.split_once('"'))
            .map_or_else(|| panic!("{name} of adapter.toml is not in the lock file"), |(version, _)| version);
        writeln!(table, "    (\"{name}\", \"{version}\"),").unwrap_or_else(|_| unreachable!("writing to a string"));
    }
    table.push_str("];\n");
    let out = std::env::var("OUT_DIR").unwrap_or_else(|_| panic!("cargo sets OUT_DIR"));
    std::fs::write(Path::new(&out).join("libraries.rs"), table).unwrap_or_else(|error| panic!("libraries.rs: {error}"));
}

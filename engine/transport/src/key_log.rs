//! The option `key_log` of channels with TLS: the client writes the secrets of its connections to a file, so that a dissector can read a capture.
//!
//! Only an option of a study or a test sets it, never the environment: nobody's calls are readable, or slower, because a variable was set.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Mutex;

use callbench_contract::endpoint::Options;
use callbench_contract::{Failure, Kind};
use rustls::KeyLog;

use super::tls::hexadecimal;

/// The option's name.
pub const OPTION: &str = "key_log";

/// Appends secrets to a file in the form of NSS, which Wireshark and others read.
#[derive(Debug)]
pub struct KeyFile(Mutex<File>);

impl KeyFile {
    /// The file that the options name, if they name one. It is created for its owner alone.
    pub fn read(options: &Options) -> Result<Option<Self>, Failure> {
        let Some(value) = options.get(OPTION) else { return Ok(None) };
        let path = value.as_str().ok_or_else(|| bad(&format!("{OPTION} is {value}: it must be the path of a file")))?;
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        Ok(Some(KeyFile(Mutex::new(file.map_err(|error| bad(&format!("{OPTION}: {path} cannot be written: {error}")))?))))
    }
}

impl KeyLog for KeyFile {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let line = format!("{label} {} {}\n", hexadecimal(client_random), hexadecimal(secret));
        if let Ok(mut file) = self.0.lock() {
            // A call does not fail because the file is full: then the dissector shows less.
            let _ = file.write_all(line.as_bytes());
        }
    }
}

fn bad(sentence: &str) -> Failure {
    Failure::new(Kind::BadRequest, format!("option {sentence}"))
}

//! The command line: `[--cpus 0,1] [--user PATH] [--netns PATH] -- PROGRAM [ARGUMENT ...]`.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Processors the adapter may use; empty: all.
    pub cpus: Vec<usize>,
    /// The user namespace to enter before the network namespace: that of whoever made it, where that was not root.
    pub user: Option<OsString>,
    /// The network namespace to run the adapter in: the host it plays.
    pub netns: Option<OsString>,
    /// The adapter and its arguments, never empty.
    pub command: Vec<CString>,
}

const USAGE: &str = "usage: callbench-keeper [--cpus 0,1] [--user PATH] [--netns PATH] -- PROGRAM [ARGUMENT ...]";

pub fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Arguments, String> {
    let mut parsed = Arguments::default();
    loop {
        let argument = arguments.next().ok_or(USAGE)?;
        match argument.to_str() {
            Some("--") => break,
            Some("--cpus") => parsed.cpus = parse_cpus(&arguments.next().ok_or(USAGE)?)?,
            Some("--user") => parsed.user = Some(arguments.next().ok_or(USAGE)?),
            Some("--netns") => parsed.netns = Some(arguments.next().ok_or(USAGE)?),
            _ => return Err(format!("{} is not an option; {USAGE}", argument.display())),
        }
    }
    parsed.command = arguments
        .map(|it| CString::new(it.into_vec()).map_err(|_| "an argument holds a NUL byte, which no program can be given".to_owned()))
        .collect::<Result<_, _>>()?;
    if parsed.command.is_empty() {
        return Err(format!("no program was named; {USAGE}"));
    }
    Ok(parsed)
}

fn parse_cpus(list: &OsString) -> Result<Vec<usize>, String> {
    let text = list.to_string_lossy();
    text.split(',')
        .map(|number| number.parse().map_err(|_| format!("--cpus {text}: {number} is no processor; give numbers with commas, such as 0,1")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &[&str]) -> Result<Arguments, String> {
        parse(words.iter().map(OsString::from))
    }

    #[test]
    fn takes_processors_and_a_command() {
        let arguments = parse_words(&["--cpus", "0,2", "--", "cat", "-"]).unwrap();
        assert_eq!(arguments.cpus, [0, 2]);
        assert_eq!(arguments.command, [CString::new("cat").unwrap(), CString::new("-").unwrap()]);
    }

    #[test]
    fn takes_the_host_to_run_on() {
        let arguments = parse_words(&["--user", "/proc/7/ns/user", "--netns", "/proc/7/fd/3", "--", "cat"]).unwrap();
        assert_eq!(arguments.user, Some("/proc/7/ns/user".into()));
        assert_eq!(arguments.netns, Some("/proc/7/fd/3".into()));
        assert!(parse_words(&["--netns"]).unwrap_err().contains("usage"));
    }

    #[test]
    fn says_what_is_wrong() {
        assert!(parse_words(&[]).unwrap_err().contains("usage"));
        assert!(parse_words(&["--"]).unwrap_err().contains("no program"));
        assert!(parse_words(&["--cpus", "x", "--", "cat"]).unwrap_err().contains("x is no processor"));
        assert!(parse_words(&["cat"]).unwrap_err().contains("cat is not an option"));
    }
}

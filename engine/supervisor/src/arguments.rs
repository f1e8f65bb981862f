//! The command line: `[--cpus 0,1] [--user PATH] [--netns PATH] [--parent PID] [--scratch FOLDER] [--remove FOLDER] -- PROGRAM [ARGUMENT ...]`.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Processors the adapter may use; empty: all.
    pub cpus: Vec<usize>,
    /// The user namespace to enter before the network namespace. It owns the network namespace if that was not made by root.
    pub user: Option<OsString>,
    /// The network namespace in which the adapter runs: its host in the network lab.
    pub netns: Option<OsString>,
    /// The process id of the core; 0 if it was not given.
    pub parent: i32,
    /// The folder for the adapter's temporary files. Only the adapter sees them there.
    pub scratch: Option<OsString>,
    /// A folder of the core that is removed at the end.
    pub remove: Option<OsString>,
    /// The adapter and its arguments, never empty.
    pub command: Vec<CString>,
}

const USAGE: &str = "usage: callbench-supervisor [--cpus 0,1] [--user PATH] [--netns PATH] [--parent PID] [--scratch FOLDER] [--remove FOLDER] -- PROGRAM [ARGUMENT ...]";

pub fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Arguments, String> {
    let mut parsed = Arguments::default();
    loop {
        let argument = arguments.next().ok_or(USAGE)?;
        match argument.to_str() {
            Some("--") => break,
            Some("--cpus") => parsed.cpus = parse_cpus(&arguments.next().ok_or(USAGE)?)?,
            Some("--user") => parsed.user = Some(arguments.next().ok_or(USAGE)?),
            Some("--netns") => parsed.netns = Some(arguments.next().ok_or(USAGE)?),
            Some("--parent") => parsed.parent = parse_parent(&arguments.next().ok_or(USAGE)?)?,
            Some("--remove") => parsed.remove = Some(arguments.next().ok_or(USAGE)?),
            Some("--scratch") => parsed.scratch = Some(arguments.next().ok_or(USAGE)?),
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

fn parse_parent(number: &OsString) -> Result<i32, String> {
    let text = number.to_string_lossy();
    text.parse().ok().filter(|pid| *pid > 0).ok_or_else(|| format!("--parent {text}: it must be the id of the process that starts this"))
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
    fn takes_whom_it_belongs_to_and_where_temporary_files_go() {
        let arguments = parse_words(&["--parent", "7", "--scratch", "/srv/scratch", "--remove", "/tmp/x", "--", "cat"]).unwrap();
        assert_eq!(arguments.parent, 7);
        assert_eq!(arguments.scratch, Some("/srv/scratch".into()));
        assert_eq!(arguments.remove, Some("/tmp/x".into()));
        assert!(parse_words(&["--parent", "0", "--", "cat"]).unwrap_err().contains("--parent 0"));
    }

    #[test]
    fn says_what_is_wrong() {
        assert!(parse_words(&[]).unwrap_err().contains("usage"));
        assert!(parse_words(&["--"]).unwrap_err().contains("no program"));
        assert!(parse_words(&["--cpus", "x", "--", "cat"]).unwrap_err().contains("x is no processor"));
        assert!(parse_words(&["cat"]).unwrap_err().contains("cat is not an option"));
    }
}

//! The libraries that messages and channels are built on, with the versions of the lock file.

include!(concat!(env!("OUT_DIR"), "/libraries.rs"));

//! The purpose of every byte on the wire.
//!
//! The input is frames in the order of capture. The output is an account. Per connection and direction, it has the bytes of the stream (reassembled,
//! so repeated bytes count once), the headers, the packets that only acknowledge, the packets that set a connection up or tear it down, TLS records,
//! and the turns of the two sides. Marks split the account into phases.
//!
//! Nothing here reads a clock, a socket or a file. `frame` parses one frame, `stream` reassembles one direction, `ledger` counts, and `pcap` reads
//! and writes captures with a given reader or writer.

mod connection;
mod count;
mod frame;
mod ledger;
pub mod pcap;
mod ranges;
mod stream;
mod tls;
mod tls_session;

pub use count::{Class, Counts, Kind, Toward};
pub use frame::{Flags, Frame, Link, Other, Segment, parse};
pub use ledger::{Account, ConnectionAccount, Ledger, Phase};
pub use tls::Records;

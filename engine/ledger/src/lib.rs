//! What every byte on the wire was for.
//!
//! Frames go in, in the order in which they were captured; an account comes out: per connection and direction the bytes of the stream
//! (reassembled, so that what was sent twice counts once), the headers, the packets that only acknowledge, the packets that set a
//! connection up or tear it down, TLS records, and how often the two sides took turns. Marks split the account into phases.
//!
//! Nothing here reads a clock, a socket or a file: `frame` understands one frame, `stream` reassembles one direction, `ledger` keeps
//! the books, `pcap` reads and writes captures through whatever reader or writer it is given.

mod connection;
mod count;
mod frame;
mod ledger;
pub mod pcap;
mod ranges;
mod stream;
mod tls;

pub use count::{Class, Counts, Kind, Toward};
pub use frame::{Flags, Frame, Link, Other, Segment, parse};
pub use ledger::{Account, ConnectionAccount, Ledger, Phase};
pub use tls::Records;

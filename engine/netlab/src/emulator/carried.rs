//! Converts a frame of a host to frames of the line. With segmentation offload, one frame of the host represents several frames of the line, each
//! with its own header. The header of the virtual network device before the frame says so (`struct virtio_net_hdr`).

/// The length of struct `virtio_net_hdr`, which precedes each frame.
pub const HEADER: usize = 10;

/// The number of frames of the line, and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carried {
    pub frames: u64,
    pub bytes: u64,
}

/// The kinds of `struct virtio_net_hdr`.
const TCP_OVER_4: u8 = 1;
const TCP_OVER_6: u8 = 4;
const DATAGRAMS: u8 = 5;
/// A flag of the kind: explicit congestion notification.
const CONGESTION: u8 = 0x80;
const DATAGRAM_HEADER: usize = 8;
/// The offset of the header length in the TCP header, in words of four bytes.
const TCP_LENGTH: usize = 12;

impl Carried {
    #[must_use]
    pub const fn one(bytes: u64) -> Self {
        Carried { frames: 1, bytes }
    }

    /// The bytes on the line, including the overhead of each frame.
    #[must_use]
    pub fn on_line(&self, overhead: i64) -> u64 {
        (self.bytes as i64 + self.frames as i64 * overhead).max(1) as u64
    }

    /// Parses a frame with the device's header before it.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let frame = bytes.get(HEADER..).unwrap_or_default();
        Self::segments(bytes, frame).unwrap_or(Carried::one(frame.len() as u64))
    }

    /// None if it is a single frame of the line.
    fn segments(bytes: &[u8], frame: &[u8]) -> Option<Self> {
        let kind = *bytes.get(1)? & !CONGESTION;
        let number = |at: usize| Some(usize::from(u16::from_ne_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
        let (size, transport) = (number(4)?, number(6)?);
        let header = match kind {
            TCP_OVER_4 | TCP_OVER_6 => transport + usize::from(frame.get(transport + TCP_LENGTH)? >> 4) * 4,
            DATAGRAMS => transport + DATAGRAM_HEADER,
            _ => return None,
        };
        let carried = frame.len().checked_sub(header)?;
        let frames = carried.div_ceil(size.max(1)).max(1);
        (size > 0).then_some(Carried { frames: frames as u64, bytes: (frame.len() + (frames - 1) * header) as u64 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ethernet, IPv4 and TCP with a time stamp, and payload in segments of `size`.
    fn tcp(size: u16, carried: usize) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + 66 + carried];
        bytes[1] = TCP_OVER_4;
        bytes[4..6].copy_from_slice(&size.to_ne_bytes());
        bytes[6..8].copy_from_slice(&34_u16.to_ne_bytes());
        bytes[HEADER + 34 + TCP_LENGTH] = 8 << 4;
        bytes
    }

    #[test]
    fn a_frame_without_offload_is_itself() {
        assert_eq!(Carried::of(&[0; HEADER + 60]), Carried::one(60));
    }

    #[test]
    fn a_long_frame_is_as_many_as_the_line_carries_each_with_its_header() {
        // 1448 bytes and 66 before them are a full frame of 1514 bytes; the last frame carries 104.
        assert_eq!(Carried::of(&tcp(1448, 3000)), Carried { frames: 3, bytes: 2 * 1514 + 66 + 104 });
        assert_eq!(Carried::of(&tcp(1448, 1448)), Carried::one(1514));
    }

    proptest! {
        #[test]
        fn whatever_the_header_says_no_octet_is_lost(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let found = Carried::of(&bytes);
            prop_assert!(found.frames >= 1);
            prop_assert!(found.bytes >= bytes.len().saturating_sub(HEADER) as u64);
        }

        #[test]
        fn segments_carry_what_the_frame_carried(size in 1_u16..9000, carried in 0_usize..65_000) {
            let found = Carried::of(&tcp(size, carried));
            prop_assert_eq!(found.bytes, found.frames * 66 + carried as u64);
            prop_assert!(found.bytes <= found.frames * (66 + u64::from(size)));
        }
    }
}

//! Known results on virtual time, and properties of every profile.

use proptest::prelude::*;

use super::*;

const MS: u64 = 1_000_000;

fn times(lane: &mut Lane, arrivals: impl IntoIterator<Item = (u64, usize)>) -> Vec<Option<u64>> {
    let leave = |fate| match fate {
        Fate::Leaves { at_ns, .. } => Some(at_ns),
        Fate::Lost | Fate::Overflowed => None,
    };
    arrivals.into_iter().map(|(now_ns, bytes)| leave(lane.arrive(now_ns, Carried::one(bytes as u64)))).collect()
}

#[test]
fn a_plain_lane_changes_nothing() {
    let mut lane = Lane::new(Direction::default(), 0);
    assert_eq!(times(&mut lane, [(5, 60), (5, 1514), (9, 60)]), [Some(5), Some(5), Some(9)]);
}

#[test]
fn a_delay_is_added_and_the_line_takes_its_time() {
    let way = Direction { delay_ns: 25 * MS, ..Direction::default() };
    assert_eq!(times(&mut Lane::new(way, 0), [(0, 60), (MS, 60)]), [Some(25 * MS), Some(26 * MS)]);
    // 100 Mbit/s: a frame of 1514 bytes with 24 bytes of overhead takes 123,040 ns. The second waits for the first; the third finds the line free.
    let way = Direction { rate_bps: Some(100_000_000), overhead_bytes: 24, ..Direction::default() };
    assert_eq!(times(&mut Lane::new(way, 0), [(0, 1514), (0, 1514), (MS, 1514)]), [Some(123_040), Some(246_080), Some(MS + 123_040)]);
    // A line without Ethernet's header: 14 bytes less.
    let way = Direction { rate_bps: Some(56_000), overhead_bytes: -14, ..Direction::default() };
    assert_eq!(times(&mut Lane::new(way, 0), [(0, 714)]), [Some(100 * MS)]);
}

#[test]
fn a_full_queue_turns_away_what_comes_last() {
    let line = Direction { rate_bps: Some(8_000_000), ..Direction::default() };
    let packets = Direction { queue_packets: Some(2), ..line };
    // 1000 bytes take a millisecond: one is on the line, two wait, the fourth is dropped. When the first has left, there is space again.
    let arrivals = [(0, 1000), (0, 1000), (0, 1000), (0, 1000), (MS, 1000)];
    assert_eq!(times(&mut Lane::new(packets, 0), arrivals), [Some(MS), Some(2 * MS), Some(3 * MS), None, Some(4 * MS)]);
    let bytes = Direction { queue_bytes: Some(1500), ..line };
    assert_eq!(times(&mut Lane::new(bytes, 0), arrivals), [Some(MS), Some(2 * MS), None, None, Some(3 * MS)]);
}

#[test]
fn a_frame_that_stands_for_several_takes_the_line_as_long_as_they_do() {
    let way = Direction { rate_bps: Some(100_000_000), overhead_bytes: 24, queue_packets: Some(3), ..Direction::default() };
    let four = Carried { frames: 4, bytes: 4 * 1514 };
    let leave = |fate| matches!(fate, Fate::Leaves { at_ns: 492_160, .. });
    assert!(leave(Lane::new(way, 0).arrive(0, four)));
    let mut one_by_one = Lane::new(way, 0);
    assert!(leave((0..4).map(|_| one_by_one.arrive(0, Carried::one(1514))).last().expect("four")));
    // The queue counts frames of the line.
    let mut lane = Lane::new(way, 0);
    lane.arrive(0, Carried::one(1514));
    assert_eq!(lane.arrive(0, four), Fate::Overflowed);
}

#[test]
fn one_that_is_held_back_is_overtaken_and_the_others_keep_their_order() {
    let way = Direction { delay_ns: MS, reorder: 0.3, reorder_by_ns: 10 * MS, ..Direction::default() };
    let mut lane = Lane::new(way, 7);
    let fates: Vec<_> = (0..1000).map(|number| lane.arrive(number * 1000, Carried::one(60))).collect();
    let (held, kept): (Vec<_>, Vec<_>) =
        fates.iter().enumerate().partition(|(_, fate)| matches!(fate, Fate::Leaves { held_back: true, .. }));
    assert!(held.iter().all(|(number, fate)| matches!(fate, Fate::Leaves { at_ns, .. } if *at_ns == *number as u64 * 1000 + 11 * MS)));
    assert!(kept.iter().all(|(number, fate)| matches!(fate, Fate::Leaves { at_ns, .. } if *at_ns == *number as u64 * 1000 + MS)));
    assert!((230..370).contains(&held.len()), "{} of 1000 at 0.3", held.len());
}

#[test]
fn the_same_seed_loses_the_same_frames_whatever_else_the_profile_says() {
    let lost = |way: Direction, seed| -> Vec<usize> {
        let mut lane = Lane::new(way, seed);
        (0..2000).filter(|number| lane.arrive(*number as u64 * MS, Carried::one(60)) == Fate::Lost).collect()
    };
    let plain = Direction { loss: 0.02, ..Direction::default() };
    let rich = Direction { delay_ns: 5 * MS, jitter_ns: MS, duplicate: 0.1, reorder: 0.1, reorder_by_ns: MS, ..plain };
    assert_eq!(lost(plain, 1), lost(rich, 1));
    assert_ne!(lost(plain, 1), lost(plain, 2));
}

#[test]
fn shares_lie_within_their_binomial_interval() {
    const FRAMES: u32 = 100_000;
    for (seed, share) in [(1, 0.01), (2, 0.05), (3, 0.5)] {
        let mut lane = Lane::new(Direction { loss: share, duplicate: share, ..Direction::default() }, seed);
        let fates: Vec<_> = (0..FRAMES).map(|_| lane.arrive(0, Carried::one(60))).collect();
        let lost = fates.iter().filter(|fate| **fate == Fate::Lost).count();
        let twice = fates.iter().filter(|fate| matches!(fate, Fate::Leaves { twice: true, .. })).count();
        // Four standard deviations. With a fixed seed, the result is always the same.
        let within = |count: usize, of: f64| {
            let spread = 4.0 * (of * share * (1.0 - share)).sqrt();
            (count as f64 - of * share).abs() < spread
        };
        assert!(within(lost, f64::from(FRAMES)), "{lost} lost at {share}");
        assert!(within(twice, f64::from(FRAMES) - lost as f64), "{twice} twice at {share}");
    }
}

prop_compose! {
    fn ways()(
        delay_ns in 0..50 * MS, part in 0.0..=1.0, rate_bps in prop::option::of(1_000_u64..10_000_000_000), overhead_bytes in -14_i64..40,
        queue_bytes in prop::option::of(0_u64..100_000), queue_packets in prop::option::of(0_u64..100), loss in 0.0..0.5, duplicate in 0.0..0.5,
    ) -> Direction {
        let jitter_ns = (delay_ns as f64 * part) as u64;
        Direction { delay_ns, jitter_ns, rate_bps, overhead_bytes, queue_bytes, queue_packets, loss, duplicate, reorder: 0.0, reorder_by_ns: 0 }
    }
}

fn arrivals() -> impl Strategy<Value = Vec<(u64, usize)>> {
    prop::collection::vec((0..2 * MS, 14_usize..1515), 1..300).prop_map(|gaps| {
        let mut now_ns = 0;
        gaps.into_iter()
            .map(|(gap, bytes)| {
                now_ns += gap;
                (now_ns, bytes)
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn order_is_kept_and_nothing_leaves_early(way in ways(), arrivals in arrivals(), seed: u64) {
        let left = times(&mut Lane::new(way, seed), arrivals.clone());
        let mut last = 0;
        for ((now_ns, _), at_ns) in arrivals.iter().zip(left) {
            if let Some(at_ns) = at_ns {
                prop_assert!(at_ns >= now_ns + way.delay_ns - way.jitter_ns);
                prop_assert!(at_ns >= last);
                last = at_ns;
            }
        }
    }

    #[test]
    fn the_line_never_exceeds_its_rate_and_is_never_idle_while_somebody_waits(
        rate in 1_000_u64..10_000_000_000, frames in prop::collection::vec(14_usize..1515, 1..300),
    ) {
        // All at once: the last leaves exactly when the line has sent every bit, rounded down to the nanosecond.
        let mut lane = Lane::new(Direction { rate_bps: Some(rate), ..Direction::default() }, 0);
        let bits: u128 = frames.iter().map(|bytes| *bytes as u128 * 8).sum();
        let last = times(&mut lane, frames.iter().map(|bytes| (0, *bytes))).last().copied().flatten();
        prop_assert_eq!(last.map(u128::from), Some(bits * 1_000_000_000 / u128::from(rate)));
    }

    #[test]
    fn the_queue_is_never_longer_than_it_may_be(way in ways(), arrivals in arrivals(), seed: u64) {
        let mut lane = Lane::new(way, seed);
        for (now_ns, bytes) in arrivals {
            lane.arrive(now_ns, Carried::one(bytes as u64));
            lane.waiting.forget_before(now_ns);
            prop_assert_eq!(lane.waiting.bytes, lane.waiting.each.iter().map(|(_, it)| it.bytes).sum::<u64>());
            prop_assert!(way.queue_bytes.is_none_or(|most| lane.waiting.bytes <= most));
            prop_assert!(way.queue_packets.is_none_or(|most| lane.waiting.frames <= most));
        }
    }
}

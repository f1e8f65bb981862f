// Measures what the kit costs per call. It compares slices of two bare clock readings per call with slices of the load loop and a client
// that does nothing. Every call is timed, in pairs of random order. It also measures allocations. cost.mjs PAIRS [CALLS] prints JSON for
// bench/node_kit.py. Byte counts are only valid without garbage collections; times are only valid with collections that keep the used
// memory small.

import { same } from '../kit/check.mjs';
import { monotonic, now } from '../kit/clock.mjs';
import { Drive } from '../kit/loop.mjs';

const [PAIRS = 0, CALLS = 5_000] = process.argv.slice(2).map(Number);
const WARM_UP = 200;
/** The result of a client that does nothing: one promise for all calls, so that the client allocates nothing. */
const NOTHING = Promise.resolve(null);
const IDLE = { call: () => NOTHING };
const PAYLOADS = [{ call: 'Empty', arguments: {}, answer: null }];
const PLAN = {
  ...{ clients: 1, length_ns: 0, limit_ns: 60e9, calls: CALLS, think_ns: 0, ramp_up_ns: 0, gaps: null },
  ...{ timing: /** @type {const} */ ('each'), burn_ns: 0, reading_ns: 30, spin_ns: { thought: 0, arrival: 60_000 } },
};

/** Nanoseconds a call of the load loop: check, histogram, pool, stop rule, everything. */
async function driven() {
  const drive = new Drive({ ...PLAN, start: now() + 20_000 }, PAYLOADS, same, monotonic);
  return (await drive.run([IDLE])).elapsed_ns / CALLS;
}

/** Nanoseconds a call of a loop that reads the clock twice. */
function read() {
  const start = now();
  let sum = 0;
  for (let each = 0; each < CALLS; each++) {
    const started = now();
    sum += now() - started;
  }
  if (sum === 0) throw new Error('the clock stands still');
  return (now() - start) / CALLS;
}

/** Nanoseconds a call of a loop that awaits, as a user's own would. */
async function awaited() {
  const start = now();
  for (let each = 0; each < CALLS; each++) await IDLE.call();
  return (now() - start) / CALLS;
}

/** What a slice takes, and the bytes a call that it allocates. @param {() => number | Promise<number>} slice */
async function measured(slice) {
  const before = process.memoryUsage().heapUsed;
  const ns = await slice();
  return { ns, bytes: (process.memoryUsage().heapUsed - before) / CALLS };
}

/** @param {number[]} all */
const median = (all) => all.sort((one, other) => one - other)[all.length >> 1];

const slices = { read, driven, awaited };
for (let each = 0; each < WARM_UP; each++) for (const slice of Object.values(slices)) await slice();
/** @type {Record<string, { ns: number, bytes: number }[]>} */
const found = { read: [], driven: [], awaited: [] };
for (let pair = 0; pair < PAIRS; pair++) {
  const order = Object.entries(slices).sort(() => Math.random() - 0.5);
  for (const [name, slice] of order) found[name]?.push(await measured(slice));
}
const of = (/** @type {string} */ name, /** @type {'ns' | 'bytes'} */ what) =>
  (found[name] ?? []).map((one) => one[what]);
const ratios = of('driven', 'ns').map((ns, pair) => ns / (of('read', 'ns')[pair] ?? NaN));
console.log(
  JSON.stringify({
    calls: CALLS,
    read_ns: median(of('read', 'ns')),
    driven_ns: median(of('driven', 'ns')),
    awaited_ns: median(of('awaited', 'ns')),
    ratio: median(ratios),
    driven_bytes: median(of('driven', 'bytes')),
    awaited_bytes: median(of('awaited', 'bytes')),
  }),
);

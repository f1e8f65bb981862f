// The waits and the work that a service is told to make, so that the instrument can be tested against a known answer.

import { Refusal } from './refusal.mjs';

const LONGEST_US = 3_600_000_000;
const LONGEST_BURN_US = 1_000_000;
const NAMES = ['delay_us', 'stall_us', 'stall_every_us', 'burn_us'];

/** Nanoseconds of the monotonic clock. */
const now = () => process.hrtime.bigint();

/** How long each call waits and works, and how often the whole service stands still; all in nanoseconds. */
export class Slowness {
  /**
   * @param {Record<string, unknown>} options of `serve`, in microseconds
   * @throws {Refusal} one of them is unknown or wrong
   */
  constructor(options) {
    const unknown = Object.keys(options).find((name) => !NAMES.includes(name));
    if (unknown !== undefined) {
      throw new Refusal('bad-request', `the option ${unknown} is not known: there are ${NAMES.join(', ')}`);
    }
    this.delay = microseconds(options, 'delay_us', LONGEST_US);
    this.stall = microseconds(options, 'stall_us', LONGEST_US);
    this.every = microseconds(options, 'stall_every_us', LONGEST_US);
    this.burning = microseconds(options, 'burn_us', LONGEST_BURN_US, true);
    this.since = now();
    if ('stall_us' in options !== 'stall_every_us' in options) {
      throw new Refusal('bad-request', 'stall_us and stall_every_us must be given together');
    }
    if (this.stall > 0n && this.stall >= this.every) {
      throw new Refusal('bad-request', 'stall_us must be less than stall_every_us');
    }
  }

  /** Whether there is nothing to wait for and nothing to work at, so that an answer can go out at once. */
  get none() {
    return this.delay === 0n && this.stall === 0n && this.burning === 0n;
  }

  /** Waits and works as long as was asked. A call within a stall waits for its end, as if the server really stood still. */
  async take() {
    if (this.delay > 0n) await waited(now() + this.delay);
    if (this.stall > 0n) {
      const at = now();
      const left = this.every - ((at - this.since) % this.every);
      if (left <= this.stall) await waited(at + left);
    }
    for (const end = now() + this.burning; now() < end;);
  }
}

/**
 * Waits until a moment of the monotonic clock. A timer of Node counts whole milliseconds and can be early by one.
 *
 * @param {bigint} due
 */
async function waited(due) {
  for (let left = due - now(); left > 0n; left = due - now()) {
    const milliseconds = Math.ceil(Number(left) / 1e6);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }
}

/**
 * @param {Record<string, unknown>} options
 * @param {string} name
 * @param {number} most
 * @param {boolean} fractions whether it need not be a whole number
 * @returns {bigint} nanoseconds
 */
function microseconds(options, name, most, fractions = false) {
  const value = options[name] ?? 0;
  if (typeof value !== 'number' || !(value >= 0 && value <= most) || !(fractions || Number.isInteger(value))) {
    const kind = fractions ? 'a number' : 'a whole number';
    throw new Refusal('bad-request', `${name} is ${JSON.stringify(value)}: it must be ${kind} from 0 to ${most}`);
  }
  return BigInt(Math.round(value * 1000));
}

// The options of `serve` that make a service slow, so that the instrument can be tested against a known answer.

import { Failure } from '../node/kit/failure.mjs';
import { Slowness } from '../node/kit/service.mjs';

const LONGEST_US = 3_600_000_000;
const LONGEST_BURN_US = 1_000_000;
const NAMES = ['delay_us', 'stall_us', 'stall_every_us', 'burn_us'];

/**
 * @param {Record<string, unknown>} options of `serve`, in microseconds
 * @throws {Failure} one of them is unknown or wrong
 */
export function slowness(options) {
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw new Failure('bad-request', `the option ${unknown} is not known: there are ${NAMES.join(', ')}`);
  }
  const delays = {
    delay_us: microseconds(options, 'delay_us', LONGEST_US),
    stall_us: microseconds(options, 'stall_us', LONGEST_US),
    stall_every_us: microseconds(options, 'stall_every_us', LONGEST_US),
    burn_us: microseconds(options, 'burn_us', LONGEST_BURN_US, true),
  };
  if ('stall_us' in options !== 'stall_every_us' in options) {
    throw new Failure('bad-request', 'stall_us and stall_every_us must be given together');
  }
  if (delays.stall_us > 0 && delays.stall_us >= delays.stall_every_us) {
    throw new Failure('bad-request', 'stall_us must be less than stall_every_us');
  }
  return new Slowness(delays);
}

/**
 * @param {Record<string, unknown>} options
 * @param {string} name
 * @param {number} most
 * @param {boolean} fractions whether it need not be a whole number
 */
function microseconds(options, name, most, fractions = false) {
  const value = options[name] ?? 0;
  if (typeof value !== 'number' || !(value >= 0 && value <= most) || !(fractions || Number.isInteger(value))) {
    const kind = fractions ? 'a number' : 'a whole number';
    throw new Failure('bad-request', `${name} is ${JSON.stringify(value)}: it must be ${kind} from 0 to ${most}`);
  }
  return value;
}

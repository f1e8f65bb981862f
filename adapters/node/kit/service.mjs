// The service behind every server: it answers, counts, and adds requested delays.

import { burn, monotonic, now, waitUntil } from './clock.mjs';
import { Failure } from './failure.mjs';

/** The number of cached answers: of the service, and of a service of the user's own, whose pairs may be many. */
const HELD = 256;
const OWN_HELD = 4096;

/**
 * @typedef {{ delay_us: number, stall_us: number, stall_every_us: number, burn_us: number }} Delays
 * @typedef {(call: string, parameters: object) => Promise<{ value?: any, fault?: string, line?: string }>} Ask requests a plain answer from the host,
 *   whose line has all digits of its numbers
 */

/** The delays that a service is asked to add, to test Callbench with known values. */
export class Slowness {
  /** @param {Delays} delays */
  constructor(delays) {
    this.delays = delays;
    this.since = now();
    this.none = delays.delay_us + delays.stall_us + delays.burn_us === 0;
  }

  /** Adds the delays. A call during a stall waits for its end, as if the server really stalled. */
  async take() {
    const { delay_us, stall_us, stall_every_us, burn_us } = this.delays;
    if (delay_us > 0) await waitUntil(monotonic, now() + delay_us * 1000, 0);
    const left = stall_every_us * 1000 - ((now() - this.since) % (stall_every_us * 1000));
    if (left <= stall_us * 1000) await waitUntil(monotonic, now() + left, 0);
    burn(monotonic, burn_us * 1000);
  }
}

/** Answers calls in the types of the library. It generates nothing: a missing answer is requested once. */
export class Service {
  /** @type {Record<string, number>} */
  counts = {};
  /** @type {Map<string, any>} answers, faults, and promises of either */
  held = new Map();

  /**
   * @param {Delays} delays @param {Ask} ask @param {(call: string, plain: any) => any} hold converts an answer to the types of the
   *   library
   */
  constructor(delays, ask, hold) {
    this.slowness = new Slowness(delays);
    this.ask = ask;
    this.hold = hold;
  }

  /**
   * Counts a call before it is answered, so that no client sees one that is not counted. Returns null if it may be answered immediately.
   * @param {string} call
   */
  begin(call) {
    this.counts[call] = (this.counts[call] ?? 0) + 1;
    return this.slowness.none ? null : this.slowness.take();
  }

  /**
   * The answer, rejected with a Failure where the service refuses.
   *
   * @param {string} call @param {any} parameters
   */
  async answer(call, parameters) {
    await this.begin(call);
    if (call === 'Sum') return (parameters.a + parameters.b) | 0;
    if (call === 'Hello') return 'Hello World';
    if (call === 'EchoString') return parameters.value;
    if (call === 'EchoStructure') return parameters.structure;
    if (call === 'Empty' || call.startsWith('Send')) return null;
    return this.lookedUp(`${call}/${parameters.n ?? parameters.size}/${parameters.fill}`, call, () => parameters, HELD);
  }

  /**
   * The answer of a call of the user's own, rejected likewise.
   *
   * @param {string} call @param {string} key the whole request @param {() => { request: any }} parameters as plain values
   */
  async own(call, key, parameters) {
    await this.begin(call);
    return this.lookedUp(`${call}/${key}`, call, parameters, OWN_HELD);
  }

  /** @param {string} key @param {string} call @param {() => any} parameters as plain values @param {number} most */
  async lookedUp(key, call, parameters, most) {
    if (!this.held.has(key)) {
      const asked = this.ask(call, parameters()).then(({ value, fault }) => {
        const answer = fault === undefined ? this.hold(call, value) : new Failure('fault', fault);
        this.held.set(key, answer);
        return answer;
      });
      this.held.set(key, asked);
      if (this.held.size > most) this.held.delete(this.held.keys().next().value ?? '');
    }
    const held = await this.held.get(key);
    if (held instanceof Failure) throw held;
    return held;
  }

  /** The answered calls since the last request, and the processor time of this process. */
  counted() {
    const calls = this.counts;
    this.counts = {};
    return { calls, processor: processor() };
  }
}

/** CPU of the contract: what a process used, this one unless given. */
export function processor({ user, system } = process.cpuUsage()) {
  return { user_ns: `${user * 1000}`, system_ns: `${system * 1000}` };
}

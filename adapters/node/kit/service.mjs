// The service behind every server: what it answers, how often, and how slowly where that is asked for.

import { burn, monotonic, now, waitUntil } from './clock.mjs';
import { Failure } from './failure.mjs';

/** So many answers are held. */
const HELD = 256;

/**
 * @typedef {{ delay_us: number, stall_us: number, stall_every_us: number, burn_us: number }} Delays
 * @typedef {(call: string, parameters: object) => Promise<{ value?: any, fault?: string }>} Ask asks the host for a plain answer
 */

/** The waits and the work that a service is told to make, so that the instrument can be tested against a known answer. */
export class Slowness {
  /** @param {Delays} delays */
  constructor(delays) {
    this.delays = delays;
    this.since = now();
    this.none = delays.delay_us + delays.stall_us + delays.burn_us === 0;
  }

  /** Waits and works as long as was asked. A call within a stall waits for its end, as if the server really stood still. */
  async take() {
    const { delay_us, stall_us, stall_every_us, burn_us } = this.delays;
    if (delay_us > 0) await waitUntil(monotonic, now() + delay_us * 1000, 0);
    const left = stall_every_us * 1000 - ((now() - this.since) % (stall_every_us * 1000));
    if (left <= stall_us * 1000) await waitUntil(monotonic, now() + left, 0);
    burn(monotonic, burn_us * 1000);
  }
}

/** Answers calls in the types of the library. It generates nothing: what it does not hold yet it asks for, once. */
export class Service {
  /** @type {Record<string, number>} */
  counts = {};
  /** @type {Map<string, any>} answers, faults, and promises of either */
  held = new Map();

  /** @param {Delays} delays @param {Ask} ask @param {(call: string, plain: any) => any} hold an answer in the types of the library */
  constructor(delays, ask, hold) {
    this.slowness = new Slowness(delays);
    this.ask = ask;
    this.hold = hold;
  }

  /** Counts a call before it is answered, so that no client sees one that is not counted; null where it may be answered at once. @param {string} call */
  begin(call) {
    this.counts[call] = (this.counts[call] ?? 0) + 1;
    return this.slowness.none ? null : this.slowness.take();
  }

  /** The answer, rejected with a Failure where the service refuses. @param {string} call @param {any} parameters */
  async answer(call, parameters) {
    await this.begin(call);
    if (call === 'Sum') return (parameters.a + parameters.b) | 0;
    if (call === 'Hello') return 'Hello World';
    if (call === 'EchoString') return parameters.value;
    if (call === 'EchoStructure') return parameters.structure;
    if (call === 'Empty' || call.startsWith('Send')) return null;
    const held = await this.lookedUp(call, parameters);
    if (held instanceof Failure) throw held;
    return held;
  }

  /** @param {string} call @param {any} parameters @returns {any} the answer, or the fault, or a promise of it */
  lookedUp(call, parameters) {
    const key = `${call}/${parameters.n ?? parameters.size}/${parameters.fill}`;
    if (!this.held.has(key)) {
      const asked = this.ask(call, parameters).then(({ value, fault }) => {
        const answer = fault === undefined ? this.hold(call, value) : new Failure('fault', fault);
        this.held.set(key, answer);
        return answer;
      });
      this.held.set(key, asked);
      if (this.held.size > HELD) this.held.delete(this.held.keys().next().value ?? '');
    }
    return this.held.get(key);
  }

  /** What was answered since last asked, and what this process used. */
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

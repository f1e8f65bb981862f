// The runner protocol, contract/RUNNER.md: requests on stdin, answers on descriptor 3, which the launcher made of the real stdout.

import { readFileSync, writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { monotonic, now, readingNs } from './clock.mjs';
import { parse, stringify } from './exact.mjs';
import { Failure } from './failure.mjs';
import { Drive } from './loop.mjs';
import { processor } from './service.mjs';

const INTERVAL_MS = 100;
const FEATURES = ['closed', 'think', 'ramp-up', 'open', 'burn', 'heap', 'trace'];
/**
 * A think time uses timers only: 0.9 ms too long at the median, for 0.2 ms of processor time. A precision of 0.06 ms would take 0.56 ms
 * (on a busy machine).
 */
const SPIN_NS = { thought: 0, arrival: 60_000 };

/**
 * @typedef {import('./service.mjs').Ask} Ask
 * @typedef {{ host: string, port: number, delays: import('./service.mjs').Delays, options: any }} Served
 * @typedef {{ endpoint: string, counted(): any, close(): any }} Serving
 * @typedef {{ clients: import('./loop.mjs').Client[], connections: number, close(): void }} Connected
 *
 * @typedef {object} Stack a technology; what has a server only has no more than `serve`
 * @property {(request: Served, ask: Ask) => Promise<Serving>} serve
 * @property {(request: { endpoint: string, clients: number, timeout_ms: number }) => Promise<Connected>} [connect]
 * @property {{ arguments(call: string, plain: any): any, answer(call: string, plain: any): any, plain(call: string, answer: any): any,
 *   check(call: string): import('./loop.mjs').Check, exact?: boolean }} [types]
 *   from plain values to the types of the library, and back, and how an answer is checked in constant time
 */

/** One conversation with the host. */
export class Runner {
  /** @type {Serving | null} */
  serving = null;
  /** @type {Connected | null} */
  connected = null;
  /** @type {Stack['types']} of the stack that is connected */
  types;
  /** @type {import('./loop.mjs').Payload[]} */
  payloads = [];
  /** @type {Map<number, (answer: any) => void>} questions of the server without an answer yet */
  asked = new Map();
  asks = 0;
  reading = readingNs();

  /** @param {Map<string, Stack>} stacks @param {{ version: string, libraries: Record<string, string> }} about */
  constructor(stacks, about) {
    this.stacks = stacks;
    const clock = { name: 'CLOCK_MONOTONIC', resolution_ns: 1, reading_ns: this.reading };
    const runtime = { language: 'javascript', runtime: `Node.js ${process.version}`, ...about };
    say({ is: 'ready', runner: 1, ...runtime, clock, features: FEATURES, stacks: [...stacks.keys()], unavailable: {} });
  }

  /** Answers until `stop`, the end of stdin or SIGTERM. */
  async run() {
    process.on('SIGTERM', () => this.end());
    let [turn, line] = [Promise.resolve(), ''];
    for await (const piece of process.stdin.setEncoding('utf8')) {
      const [rest, ...begun] = piece.split('\n');
      line += rest;
      for (const next of begun) {
        const request = { ...JSON.parse(line), line };
        if (request.do === 'answer') this.asked.get(request.ask)?.(request);
        else turn = turn.then(() => this.answer(request));
        line = next;
      }
    }
    await this.end();
  }

  /** Closes everything and ends. */
  async end() {
    this.connected?.close();
    await this.serving?.close();
    process.exit(0);
  }

  /** @param {any} request */
  async answer(request) {
    try {
      say({ id: request.id, ...(await this.act(request)) });
    } catch (thrown) {
      const failure = thrown instanceof Failure ? thrown : new Failure('internal', `the runner failed: ${thrown}`);
      if (failure !== thrown) console.error(thrown);
      say({ is: 'error', id: request.id, kind: failure.kind, message: failure.message });
    }
    if (request.do === 'stop') await this.end();
  }

  /** @param {any} request @returns {Promise<object>} the answer, without its id */
  async act(request) {
    switch (request.do) {
      case 'serve':
        this.serving = await this.stack(request).serve(request, (call, parameters) => this.ask(call, parameters));
        return { is: 'serving', endpoint: this.serving.endpoint };
      case 'stop-serving':
        await this.serving?.close();
        this.serving = null;
        return { is: 'stopped-serving' };
      case 'counted':
        return { is: 'counts', ...(await this.serving?.counted()) };
      case 'connect':
      case 'disconnect':
        this.connected?.close();
        this.connected = null;
        if (request.do === 'disconnect') return { is: 'disconnected' };
        return { is: 'connected', connections: await this.connect(request) };
      case 'prepare':
        this.payloads = this.given(request).payloads.map((/** @type {any} */ plain) => this.held(request.call, plain));
        return { is: 'prepared' };
      case 'call':
        return { is: 'returned', ...(await this.call()) };
      case 'drive':
        return { is: 'done', ...(await this.driven(request)) };
      case 'trace':
        return { is: 'traced', ...(await played(request.trace)) };
      case 'heap':
        return { is: 'heap', used_bytes: heap() };
      case 'stop':
        return { is: 'stopped' };
    }
    throw new Failure('bad-request', `the request to do ${JSON.stringify(request.do)} is not known`);
  }

  /** A request with all digits of its numbers, if the stack can carry them. @param {any} request */
  given(request) {
    return this.types?.exact ? parse(request.line) : request;
  }

  /** @param {any} request */
  stack(request) {
    const stack = this.stacks.get(request.stack);
    if (stack === undefined) throw new Failure('bad-request', `there is no stack ${request.stack} here`);
    return stack;
  }

  /** Asks the host for an answer of the service. @type {Ask} */
  ask(call, parameters) {
    const ask = ++this.asks;
    say({ is: 'ask', ask, call, arguments: parameters });
    return new Promise((resolve) => this.asked.set(ask, resolve)).finally(() => this.asked.delete(ask));
  }

  /** @param {any} request @returns {Promise<number>} the connections that are open */
  async connect(request) {
    const { connect, types } = this.stack(request);
    if (connect === undefined) throw new Failure('unsupported', `${request.stack} has a server only`);
    [this.connected, this.types] = [await connect(request), types];
    return this.connected.connections;
  }

  /** @param {string} call @param {{ arguments: any, answer?: any, fault?: string }} plain @returns {import('./loop.mjs').Payload} */
  held(call, plain) {
    if (this.types === undefined) throw new Failure('bad-request', 'nobody was connected');
    const answer = plain.fault === undefined ? this.types.answer(call, plain.answer) : null;
    return { ...plain, call, arguments: this.types.arguments(call, plain.arguments), answer };
  }

  /** Makes the prepared call once. */
  async call() {
    const [client] = this.connected?.clients ?? [];
    const [payload] = this.payloads;
    if (client === undefined || payload === undefined) throw new Failure('bad-request', 'nobody is connected');
    const answer = await client.call(payload);
    if (!(answer instanceof Failure)) return { value: this.types?.plain(payload.call, answer) };
    if (answer.kind !== 'fault') throw answer;
    return { fault: { message: answer.message } };
  }

  /** @param {any} request */
  async driven(request) {
    const clients = this.connected?.clients.slice(0, request.clients) ?? [];
    const gaps =
      request.gaps && Float64Array.from(new BigUint64Array(new Uint8Array(readFileSync(request.gaps)).buffer), Number);
    const start = Math.max(request.start_at_ns, now() + 100_000 + 10_000 * clients.length);
    const plan = { ...request, gaps, start, clients: clients.length, reading_ns: this.reading, spin_ns: SPIN_NS };
    const check = this.types?.check(this.payloads[0]?.call ?? '') ?? Object.is;
    const drive = new Drive(plan, this.payloads, check, monotonic);
    const report = () =>
      say({ is: 'interval', id: request.id, at_ns: now() - start, calls: drive.calls, errors: drive.failed });
    const before = processor();
    const [ticks, over] = [setInterval(report, INTERVAL_MS), setTimeout(report, (drive.end - now()) / 1e6 + 1)];
    try {
      return { ...(await drive.run(clients)), processor: { start: before, end: processor() } };
    } finally {
      // One client failed, so the others stop too.
      drive.stopped = true;
      clearInterval(ticks);
      clearTimeout(over);
    }
  }
}

/** Plays a golden trace: the loop over a scripted clock and a scripted client. @param {{ plan: any, script: any }} trace */
export async function played({ plan, script }) {
  let [time, calls] = [script.clock_start_ns, 0];
  const clock = {
    now: () => (time += script.reading_takes_ns) - script.reading_takes_ns,
    sleep: (/** @type {number} */ until) => void (time = Math.max(time, until + script.oversleeps_ns)),
    turn: () => {},
  };
  const call = async () => {
    const { takes_ns, answer } = script.calls[calls++ % script.calls.length];
    time += takes_ns;
    return answer === 'right' || answer === 'wrong' ? answer : new Failure(answer, 'as the script says');
  };
  const spins = {
    gaps: plan.gaps && Float64Array.from(plan.gaps),
    spin_ns: { thought: plan.spin_ns, arrival: plan.spin_ns },
  };
  const payload = { call: '', arguments: null, answer: 'right' };
  const drive = new Drive({ ...plan, ...spins }, [payload], (right, answer) => right === answer, clock);
  drive.made = [];
  return { done: await drive.run([{ call }], plan.place), made: drive.made };
}

/** The bytes that the runtime uses after a full collection. */
function heap() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

/** @param {object} message */
function say(message) {
  let octets = Buffer.from(`${stringify(message)}\n`);
  while (octets.length > 0) octets = octets.subarray(writeSync(3, octets));
}

// The load loop of contract/LOOP.md: a task for each client, all on one event loop.

import { burn, waitUntil } from './clock.mjs';
import { Failure } from './failure.mjs';
import { Histogram } from './histogram.mjs';

const MOST_ERRORS = 100;
const FIRST_CALLS = 16;
const START_SPIN_NS = 30_000;
const PIECE_NS = 100_000_000;
const WRONG = new Failure('wrong-answer', 'the answer is not the right one');

/**
 * @typedef {{ call: string, arguments: any, answer: any, fault?: string }} Payload in the types of the library; with a fault, no answer is right
 * @typedef {{ call(payload: Payload): Promise<any> }} Client gives the answer, or a Failure where there is none
 * @typedef {(right: any, answer: any, turn: number) => boolean} Check
 * @typedef {{ clients: number, start: number, length_ns: number, limit_ns: number, calls: number, think_ns: number, ramp_up_ns: number,
 *   gaps: Float64Array | null, timing: 'each' | 'batch' | 'auto', burn_ns: number, reading_ns: number,
 *   spin_ns: { thought: number, arrival: number } }} Plan what LOOP.md lists, under its names
 */

/** A moment, and the calls of a drive that ended after it. */
class Flight {
  after = 0;
  flying = 0;
  part = 0;

  /** @param {number} moment @param {number} started @param {number} ended @param {number} right */
  note(moment, started, ended, right) {
    this.after += right;
    if (started >= moment) return;
    const before = (right * (moment - started)) / (ended - started);
    this.after -= Math.floor(before);
    this.part += before % 1;
    this.flying += 1;
  }
}

/** One drive: what its clients share, and what they have seen together. */
export class Drive {
  calls = 0;
  failed = 0;
  /** @type {Record<string, number>} */
  errors = {};
  /** @type {Record<string, string>} the first sentence of each kind of error */
  errorMessages = {};
  inCall = 0;
  thought = 0;
  gap = 0;
  late = { due_later: false, time: new Flight(), limit: new Flight() };
  latency = new Histogram();
  /** Calls a batch; 0: not decided yet. */
  batch = 0;
  /** Arrivals of the schedule that were taken. */
  taken = 0;
  stopped = false;
  /** @type {number[][] | null} for a trace: the readings around each call, up to a limit */
  made = null;
  mostMade = 1000;

  /** @param {Plan} plan @param {Payload[]} payloads @param {Check} check @param {import('./clock.mjs').Clock} clock */
  constructor(plan, payloads, check, clock) {
    this.plan = plan;
    this.payloads = payloads;
    this.check = check;
    this.clock = clock;
    this.limit = plan.start + plan.limit_ns;
    this.end = plan.start + Math.min(plan.length_ns, plan.limit_ns);
    this.pool = plan.calls;
    this.portion = Math.min(256, Math.max(1, Math.floor(Math.floor(plan.calls / plan.clients) / 16)));
    this.intended = plan.start;
    this.service = plan.gaps && new Histogram();
    this.lateness = plan.gaps && new Histogram();
  }

  /** Lets the clients call until the drive is over. @param {Client[]} clients @param {number} [place] of the first one */
  async run(clients, place = 0) {
    const tasks = clients.map((client, nth) => new LoopTask(this, client, place + nth));
    await Promise.all(tasks.map((task) => task.run()));
    const end = tasks.reduce((last, task) => Math.max(last, task.ended), 0);
    for (const { left } of tasks) {
      this.gap += Math.max(0, end - left);
      this.thought -= Math.max(0, left - end);
    }
    const { calls, errors, errorMessages, service, lateness, late } = this;
    return {
      ...{
        calls,
        errors,
        error_messages: errorMessages,
        elapsed_ns: Math.max(1, end - this.plan.start),
        batch: Math.max(1, this.batch),
      },
      ...{ latency: this.batch > 1 ? null : this.latency, service, lateness },
      ...{ in_call_ns: `${this.inCall}`, think_ns: `${this.thought}`, gap_ns: this.plan.gaps ? null : `${this.gap}` },
      ...{ late, gave_up: this.stopped || tasks.every((task) => task.inARow >= MOST_ERRORS), threads: 1 },
    };
  }

  /** Takes a portion of the remaining calls. @param {number} wanted */
  draw(wanted) {
    const drawn = Math.min(this.pool, Math.max(this.portion, wanted));
    this.pool -= drawn;
    return drawn;
  }

  /** Takes the next arrival, which is then the one intended at `intended`; false where the queue is empty. @param {Float64Array} gaps */
  arrives(gaps) {
    const due = this.intended + /** @type {number} */ (gaps[this.taken % gaps.length]);
    if (this.taken >= this.plan.calls && due >= this.plan.start + this.plan.length_ns) return false;
    this.intended = due;
    this.taken += 1;
    return true;
  }

  /** Counts a call, or a batch, that ended after the time was over. @param {number} due @param {LoopTask} task @param {number} right */
  overran(due, { started, ended }, right) {
    if (due >= this.end) this.late.due_later = true;
    else this.late.time.note(this.end, started, ended, right);
    if (ended > this.limit) this.late.limit.note(this.limit, started, ended, right);
  }

  /** Calls a batch, given what the first calls took; 1: each is timed. */
  sized() {
    const { timing, reading_ns } = this.plan;
    const median = this.latency.median();
    if (median === null || (timing === 'auto' && median >= 20 * reading_ns)) return 1;
    return Math.min(4096, Math.max(1, Math.floor(100_000 / Math.max(1, median - reading_ns))));
  }
}

/** The loop of one client. What must outlive an `await` is a field: a local number would be allocated at each one. */
class LoopTask {
  /** The reading that ended the last call or wait, and the one before the call under way. */
  t = 0;
  started = 0;
  /** When the last call ended, and when it or the think time after it ended. */
  ended = 0;
  left = 0;
  /** Of an open loop: when the arrival is intended, and since when the client is idle. */
  intended = 0;
  idle = 0;
  /** Drawn from the pool and not yet made. */
  held = 0;
  made = 0;
  inARow = 0;

  /** @param {Drive} drive @param {Client} client @param {number} place */
  constructor(drive, client, place) {
    this.drive = drive;
    this.client = client;
    this.place = place;
  }

  async run() {
    const { drive } = this;
    const { start, gaps, timing, think_ns } = drive.plan;
    this.idle = this.t = this.left = this.ended = await waitUntil(drive.clock, start, START_SPIN_NS);
    drive.gap += this.t - start;
    if (gaps === null) await this.begin();
    if (gaps !== null || timing === 'each' || think_ns > 0) {
      await this.each(Infinity);
    } else if (await this.each(FIRST_CALLS)) {
      if (drive.batch === 0) drive.batch = drive.sized();
      await (drive.batch === 1 ? this.each(Infinity) : this.batches(drive.batch));
    }
    drive.pool += this.held;
  }

  /** Waits for the client's start in a ramp-up, or for its first think time. */
  async begin() {
    const { drive, place } = this;
    const { start, think_ns, ramp_up_ns, clients, spin_ns } = drive.plan;
    if (ramp_up_ns > 0) {
      const first = Math.min(start + Math.floor((ramp_up_ns * place) / clients), drive.limit);
      const begun = await waitUntil(drive.clock, first, spin_ns.thought);
      drive.gap += begun - this.t;
      this.t = this.left = this.ended = begun;
    } else if (think_ns > 0) {
      await this.think(start + Math.floor((think_ns * (2 * place + 1)) / (2 * clients)));
    }
  }

  /** Waits until `until`. It ends early if no call is left. @param {number} until */
  async think(until) {
    const { drive } = this;
    const last = this.held === 0 && drive.pool === 0 ? Math.max(drive.end, this.t) : drive.limit;
    const over = await waitUntil(drive.clock, Math.min(until, last), drive.plan.spin_ns.thought);
    drive.thought += over - this.t;
    this.t = this.left = over;
  }

  /** @param {number} time */
  leaves(time) {
    return time >= this.drive.limit || this.inARow >= MOST_ERRORS || this.drive.stopped;
  }

  /** How many calls may begin now; 0: the client is done. @param {number} wanted */
  admit(wanted) {
    if (this.held === 0) this.held = this.drive.draw(wanted);
    if (this.held === 0) return this.t < this.drive.end && !this.leaves(this.t) ? wanted : 0;
    if (this.leaves(this.t)) return 0;
    const admitted = Math.min(this.held, wanted);
    this.held -= admitted;
    return admitted;
  }

  /**
   * Makes at most `most` calls and times each, one after another or as they arrive. Returns whether the drive continues. @param {number}
   * most
   */
  async each(most) {
    const { drive } = this;
    const { think_ns, gaps } = drive.plan;
    for (let made = 0; made < most; made++) {
      if (gaps === null) {
        if (this.admit(1) === 0) return false;
      } else {
        if (!drive.arrives(gaps)) return false;
        this.intended = drive.intended;
        this.t = drive.clock.now();
        if (this.t < this.intended) await this.arrival();
        if (this.leaves(this.t)) return false;
      }
      const payload = this.payload();
      this.started = drive.clock.now();
      const answer = await this.client.call(payload);
      burn(drive.clock, drive.plan.burn_ns);
      this.finish(payload, answer);
      if (think_ns > 0) await this.think(this.t + think_ns);
    }
    return true;
  }

  /** Waits until the arrival is due, or the client leaves. */
  async arrival() {
    const { clock, limit, plan } = this.drive;
    while (this.t < this.intended && !this.leaves(this.t)) {
      this.t = await waitUntil(clock, Math.min(this.intended, this.t + PIECE_NS, limit), plan.spin_ns.arrival);
    }
  }

  /** The second reading of a call, and all that follows it. @param {Payload} payload @param {unknown} answer */
  finish(payload, answer) {
    const { drive, started } = this;
    const { service, lateness } = drive;
    const due = lateness === null ? this.t : this.intended;
    this.read();
    const right = this.judge(payload, answer);
    if (this.t > drive.end) drive.overran(due, this, right ? 1 : 0);
    if (right) drive.latency.record(this.t - (lateness === null ? started : due));
    if (lateness === null || service === null) return;
    if (right) service.record(this.t - started);
    // Waiting for a free client is caused by the server. Only the delay after both a client and an arrival are available is caused by the
    // generator.
    if (right) lateness.record(started - Math.max(due, this.idle));
    this.idle = drive.clock.now();
  }

  /** Reads the clock after a call or a batch. */
  read() {
    const { drive, started, t } = this;
    drive.gap += started - t;
    this.t = this.left = this.ended = drive.clock.now();
    drive.inCall += this.t - started;
    if (drive.made !== null && drive.made.length < drive.mostMade) drive.made.push([started, this.t]);
  }

  /** Batches until the drive is over. @param {number} size */
  async batches(size) {
    const { drive } = this;
    for (let admitted = this.admit(size); admitted > 0; admitted = this.admit(size)) {
      let right = 0;
      this.started = drive.clock.now();
      for (; admitted > 0; admitted--) {
        const payload = this.payload();
        const answer = await this.client.call(payload);
        burn(drive.clock, drive.plan.burn_ns);
        if (this.judge(payload, answer)) right += 1;
        else if (this.leaves(this.started)) break;
      }
      const due = this.t;
      this.read();
      if (this.t > drive.end) drive.overran(due, this, right);
    }
  }

  /** The next payload of the rotation. */
  payload() {
    const { payloads } = this.drive;
    return /** @type {Payload} */ (payloads[this.made % payloads.length]);
  }

  /** Checks and counts one answer or error. Returns whether it is correct. @param {Payload} payload @param {unknown} answer */
  judge(payload, answer) {
    const { drive } = this;
    const turn = this.made++;
    if (!(answer instanceof Failure) && payload.fault === undefined && drive.check(payload.answer, answer, turn)) {
      drive.calls += 1;
      this.inARow = 0;
      return true;
    }
    const { kind, message } = answer instanceof Failure ? answer : WRONG;
    drive.errors[kind] = (drive.errors[kind] ?? 0) + 1;
    drive.errorMessages[kind] ??= message;
    drive.failed += 1;
    this.inARow += 1;
    return false;
  }
}

// The times of the gateway's stages: decoding, transforming, encoding; and how long an answer waits for the backend.

/** @typedef {'decode' | 'transform' | 'encode'} Name */
/** @typedef {{ times: number, ns: bigint, us: number, bytes: number }} Sum number of runs, time by the clock, processor time, bytes */

/** Microseconds of a processor that this process has had: only what it did itself, unlike the clock. */
function worked() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The sums for each stage: times, runs and bytes. */
export class Stages {
  constructor() {
    /** @type {Record<Name, Sum>} */
    this.sums = fresh();
    this.waits = { times: 0, ns: 0n };
  }

  /**
   * Does one piece of work and counts its time to a stage.
   * @template T
   * @param {Name} name
   * @param {() => T} work
   * @param {boolean} last whether the stage is passed with it; a stage can be made of several pieces
   * @returns {T}
   */
  within(name, work, last = true) {
    const begun = process.hrtime.bigint();
    const before = worked();
    try {
      return work();
    } finally {
      const sum = this.sums[name];
      sum.us += worked() - before;
      sum.ns += process.hrtime.bigint() - begun;
      if (last) sum.times += 1;
    }
  }

  /**
   * Adds bytes to a stage.
   * @param {Name} name
   * @param {number} bytes
   */
  carried(name, bytes) {
    this.sums[name].bytes += bytes;
  }

  /**
   * Counts one wait for the backend. Other requests may be processed meanwhile.
   * @param {bigint} since the clock at its beginning
   */
  waited(since) {
    this.waits.times += 1;
    this.waits.ns += process.hrtime.bigint() - since;
  }

  /** The sums since the last request, in the form of the contract. */
  taken() {
    const stages = Object.entries(this.sums).map(([name, { times, ns, us, bytes }]) => [
      name,
      { times, ns: String(ns), processor_ns: String(us * 1000), ...(bytes && { bytes: String(bytes) }) },
    ]);
    const wait = { times: this.waits.times, ns: String(this.waits.ns) };
    this.sums = fresh();
    this.waits = { times: 0, ns: 0n };
    return { wait, ...Object.fromEntries(stages) };
  }
}

/** @returns {Record<Name, Sum>} */
function fresh() {
  const none = () => ({ times: 0, ns: 0n, us: 0, bytes: 0 });
  return { decode: none(), transform: none(), encode: none() };
}

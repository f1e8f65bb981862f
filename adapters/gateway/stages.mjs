// Where the gateway's own time goes: decoding, transforming, encoding.

/** @typedef {'decode' | 'transform' | 'encode'} Name */

/** Sums of the time within each stage, and how often it was passed. */
export class Stages {
  constructor() {
    /** @type {Record<Name, { ns: bigint, times: number }>} */
    this.sums = fresh();
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
    try {
      return work();
    } finally {
      const sum = this.sums[name];
      sum.ns += process.hrtime.bigint() - begun;
      if (last) sum.times += 1;
    }
  }

  /** What was counted since last asked, as the contract has it. */
  taken() {
    const taken = Object.entries(this.sums).map(([name, { ns, times }]) => [name, { times, ns: String(ns) }]);
    this.sums = fresh();
    return Object.fromEntries(taken);
  }
}

/** @returns {Record<Name, { ns: bigint, times: number }>} */
function fresh() {
  return { decode: { ns: 0n, times: 0 }, transform: { ns: 0n, times: 0 }, encode: { ns: 0n, times: 0 } };
}

// Servers with several processes: node:cluster with a worker for each processor, but at least two. The first process accepts connections
// and distributes them in turn, which is the default of node:cluster.

import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Failure } from './kit/failure.mjs';
import { processor } from './kit/service.mjs';

const FEWEST = 2;
const LAST_WORDS_MS = 2000;

/**
 * @typedef {import('node:cluster').Worker} Worker
 * @typedef {{ counted: Record<string, number>, used: NodeJS.CpuUsage }} Told the counts of a worker since the last request, and its
 *   processor time so far
 */

/** @implements {Serving} @typedef {import('./kit/runner.mjs').Serving} Serving */
export class Cluster {
  /** @type {Map<Worker, NodeJS.CpuUsage>} the workers, and their processor time at the last request */
  workers = new Map();
  /** The processor time of workers that died, at their last request, so that the sum never falls. */
  spent = { user: 0, system: 0 };
  endpoint = '';
  closing = false;

  /** @param {object} request of each worker @param {import('./kit/service.mjs').Ask} ask */
  constructor(request, ask) {
    this.request = request;
    this.ask = ask;
  }

  /** @param {import('./serving.mjs').Kind} kind @param {import('./kit/runner.mjs').Served} request @param {import('./kit/service.mjs').Ask} ask */
  static async serve(kind, { host, port, delays }, ask) {
    cluster.setupPrimary({ exec: fileURLToPath(new URL('worker.mjs', import.meta.url)), args: process.argv.slice(2) });
    const serving = new Cluster({ kind, host, port, delays }, ask);
    try {
      const wanted = Math.max(FEWEST, availableParallelism());
      // All workers request the same port. If it is 0, node:cluster gives all of them the port of the first one.
      const endpoints = await Promise.all(Array.from({ length: wanted }, () => serving.start()));
      serving.endpoint = endpoints[0] ?? '';
    } catch (error) {
      await serving.close();
      throw error;
    }
    return serving;
  }

  /** Starts a worker. @returns {Promise<string>} where it listens */
  async start() {
    const worker = cluster.fork({ CALLBENCH_WORKER: JSON.stringify(this.request) });
    this.workers.set(worker, { user: 0, system: 0 });
    worker.once('exit', (code, signal) => this.lost(worker, signal ?? `exit code ${code}`));
    worker.on('message', (message) => this.asked(worker, message));
    const said = await told(worker);
    if (said?.endpoint === undefined) throw new Failure('refused', said?.error ?? 'a worker died while it started');
    return said.endpoint;
  }

  /** Requests an answer for a worker from the host. @param {Worker} worker @param {any} message */
  async asked(worker, message) {
    if (message.ask === undefined) return;
    const { value, fault } = await this.ask(message.call, message.parameters);
    if (worker.isConnected()) worker.send({ ask: message.ask, answer: { value, fault } });
  }

  /**
   * A worker that dies is replaced, as users of node:cluster do; what it counted is lost with it, which the core then sees.
   *
   * @param {Worker} worker @param {string} how
   */
  lost(worker, how) {
    const last = this.workers.get(worker) ?? { user: 0, system: 0 };
    this.workers.delete(worker);
    this.spent = { user: this.spent.user + last.user, system: this.spent.system + last.system };
    if (this.closing || this.endpoint === '') return;
    console.error(`callbench: a worker of the cluster died (${how}); another takes its place`);
    this.start()
      .then((endpoint) => {
        // If all workers died at once, the port was released.
        if (endpoint !== this.endpoint) throw new Error(`${this.endpoint} is lost`);
      })
      .catch((error) => {
        console.error(`callbench: the cluster cannot go on: ${error.message}`);
        process.exit(1);
      });
  }

  async counted() {
    /** @type {Record<string, number>} */
    const calls = {};
    for (const { counted } of await Promise.all([...this.workers.keys()].map((worker) => this.countedBy(worker)))) {
      for (const [call, count] of Object.entries(counted)) calls[call] = (calls[call] ?? 0) + count;
    }
    const used = [process.cpuUsage(), this.spent, ...this.workers.values()];
    const sum = (/** @type {'user' | 'system'} */ part) => used.reduce((total, its) => total + its[part], 0);
    return { calls, processor: processor({ user: sum('user'), system: sum('system') }) };
  }

  /** @param {Worker} worker @returns {Promise<Told>} */
  async countedBy(worker) {
    const answer = told(worker);
    worker.send({});
    const said = await answer;
    if (said === null) throw new Failure('internal', 'a worker of the cluster died while it was asked what it counted');
    this.workers.set(worker, said.used);
    return said;
  }

  /** Ends the workers with their connections. A worker that does not end by itself is killed. */
  async close() {
    this.closing = true;
    const ending = [...this.workers.keys()].map(async (worker) => {
      const late = setTimeout(() => worker.process.kill('SIGKILL'), LAST_WORDS_MS);
      const gone = new Promise((resolve) => worker.once('exit', resolve));
      worker.process.kill('SIGTERM');
      await gone;
      clearTimeout(late);
    });
    await Promise.all(ending);
  }
}

/** The next message of a worker that is not a question; null if it dies first. @param {Worker} worker @returns {Promise<any>} */
function told(worker) {
  return new Promise((resolve) => {
    const heard = (/** @type {any} */ message) => message.ask === undefined && done(message);
    const died = () => done(null);
    const done = (/** @type {any} */ message) => {
      worker.off('message', heard).off('exit', died);
      resolve(message);
    };
    worker.on('message', heard).once('exit', died);
  });
}

/** A side that serves in several processes. @param {import('./serving.mjs').Kind} kind @returns {import('./kit/runner.mjs').Stack['serve']} */
export const several = (kind) => (request, ask) => Cluster.serve(kind, request, ask);

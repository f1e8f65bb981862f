// `node/http-cluster`: node:cluster with a worker for each processor it may use, and at least two. The first process accepts and
// deals connections out in turn, which is what node:cluster does unless told otherwise.

import cluster from 'node:cluster';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { PATH } from './hello-world.mjs';
import { processor } from './processor.mjs';
import { Refusal } from './refusal.mjs';
import { Slowness } from './slowness.mjs';

const FEWEST = 2;
const LAST_WORDS_MS = 2000;

/**
 * @typedef {import('node:cluster').Worker} Worker
 * @typedef {{ calls: number, used: import('./processor.mjs').Used }} Told what a worker counted since last asked
 */

/**
 * @typedef {import('./contract.mjs').Serving} Serving
 *
 * @implements {Serving}
 */
export class Cluster {
  constructor() {
    /** @type {Set<Worker>} */
    this.workers = new Set();
    this.path = PATH;
    this.port = 0;
    this.closing = false;
    /** What the workers that died had used when they were last asked, so that the sum never falls. */
    this.spent = { user: 0, system: 0 };
    /** @type {Map<Worker, import('./processor.mjs').Used>} */
    this.lastUsed = new Map();
  }

  /**
   * @param {string} host
   * @param {number} port
   * @param {Record<string, unknown>} options
   */
  static async serve(host, port, options) {
    new Slowness(options); // Refuses what is wrong before any worker is there.
    cluster.setupPrimary({
      exec: fileURLToPath(new URL('worker.mjs', import.meta.url)),
      args: [JSON.stringify(options)],
    });
    const serving = new Cluster();
    try {
      const wanted = Math.max(FEWEST, availableParallelism());
      // All of them ask for the same port, and node:cluster gives whoever asks for 0 the one that the first one got.
      const ports = await Promise.all(Array.from({ length: wanted }, () => serving.start(host, port)));
      serving.port = ports[0] ?? 0;
    } catch (error) {
      await serving.close();
      throw error;
    }
    return serving;
  }

  /**
   * @param {string} host
   * @param {number} port
   * @returns {Promise<number>} the port that the worker listens at
   */
  async start(host, port) {
    const worker = cluster.fork({ CALLBENCH_LISTEN: JSON.stringify({ host, port }) });
    this.workers.add(worker);
    worker.once('exit', (code, signal) => this.lost(worker, host, port, signal ?? `exit code ${code}`));
    const said = await Promise.race([
      once(worker, 'message').then(([message]) => message),
      once(worker, 'exit').then(() => ({ error: 'a worker died while it started' })),
    ]);
    if (said.error !== undefined) throw new Error(said.error);
    return said.port;
  }

  /**
   * A worker that dies is replaced, as users of node:cluster do; what it counted is lost with it, which the core then sees.
   *
   * @param {Worker} worker
   * @param {string} host
   * @param {number} port as it was asked for
   * @param {string} how
   */
  lost(worker, host, port, how) {
    this.workers.delete(worker);
    const last = this.lastUsed.get(worker) ?? { user: 0, system: 0 };
    this.lastUsed.delete(worker);
    this.spent = { user: this.spent.user + last.user, system: this.spent.system + last.system };
    if (this.closing || this.port === 0) return;
    console.error(`callbench: a worker of the cluster died (${how}); another takes its place`);
    this.start(host, port)
      .then((got) => {
        // Where all of them died at once, the port was given back.
        if (got !== this.port) throw new Error(`the port ${this.port} is lost`);
      })
      .catch((error) => {
        console.error(`callbench: the cluster cannot go on: ${error.message}`);
        process.exit(1);
      });
  }

  async counted() {
    const told = await Promise.all([...this.workers].map((worker) => this.ask(worker)));
    const calls = told.reduce((total, one) => total + one.calls, 0);
    return {
      calls: { Hello: calls },
      processor: processor([process.cpuUsage(), this.spent, ...this.lastUsed.values()]),
    };
  }

  /**
   * @param {Worker} worker
   * @returns {Promise<Told>}
   */
  async ask(worker) {
    const answer = Promise.race([
      once(worker, 'message').then(([message]) => message),
      once(worker, 'exit').then(() => null),
    ]);
    worker.send('counted');
    const told = await answer;
    if (told === null) throw new Refusal('internal', 'a worker of the cluster died while it was asked what it counted');
    this.lastUsed.set(worker, told.used);
    return told;
  }

  /** Ends the workers with their connections; one that does not end by itself is killed. */
  async close() {
    this.closing = true;
    const ending = [...this.workers].map(async (worker) => {
      const gone = once(worker, 'exit');
      const late = setTimeout(() => worker.process.kill('SIGKILL'), LAST_WORDS_MS);
      worker.process.kill('SIGTERM');
      await gone;
      clearTimeout(late);
    });
    await Promise.all(ending);
  }
}

// The common part of both servers: they listen, count their answers, and add requested delays.

import { processor } from '../node/kit/service.mjs';
import { slowness } from './options.mjs';

/** The service's side of a server: every answer goes out through it. */
export class Service {
  /** @param {Record<string, unknown>} options of `serve` */
  constructor(options) {
    this.slowness = slowness(options);
    this.counted = 0;
  }

  /**
   * Counts one answer, and sends it after the delays.
   * @param {() => unknown} give
   */
  answer(give) {
    // Counted first, so that no client sees an answer that is not counted yet.
    this.counted += 1;
    if (this.slowness.none) give();
    else void this.slowness.take().then(give);
  }
}

/**
 * A server that listens: what the contract's half serves.
 * @implements {Listening}
 *
 * @typedef {import('./contract.mjs').Serving} Listening
 */
export class Serving {
  /**
   * @param {import('node:http').Server} server
   * @param {string} path
   * @param {Service} service
   * @param {import('./stages.mjs').Stages | null} stages
   */
  constructor(server, path, service, stages) {
    this.server = server;
    this.path = path;
    this.service = service;
    this.stages = stages;
    this.port = 0;
  }

  /**
   * @param {string} host
   * @param {number} port 0: any free one
   * @returns {Promise<Serving>} itself
   */
  listen(host, port) {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        const address = this.server.address();
        this.port = address !== null && typeof address === 'object' ? address.port : 0;
        resolve(this);
      });
    });
  }

  async counted() {
    const counted = this.service.counted;
    this.service.counted = 0;
    return {
      calls: { FindItems: counted },
      processor: processor(),
      ...(this.stages && { stages: this.stages.taken() }),
    };
  }

  async close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

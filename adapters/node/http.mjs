// `node/http`: one process, one loop.

import { HelloWorld, PATH } from './hello-world.mjs';
import { processor } from './processor.mjs';
import { Slowness } from './slowness.mjs';

/**
 * @typedef {import('./contract.mjs').Serving} Serving
 *
 * @implements {Serving}
 */
export class Http {
  /** @param {HelloWorld} hello */
  constructor(hello) {
    this.hello = hello;
    this.path = PATH;
    this.port = 0;
  }

  /**
   * @param {string} host
   * @param {number} port
   * @param {Record<string, unknown>} options
   */
  static async serve(host, port, options) {
    const serving = new Http(new HelloWorld(new Slowness(options)));
    serving.port = await serving.hello.listen(host, port);
    return serving;
  }

  async counted() {
    return { calls: { Hello: this.hello.takeCounted() }, processor: processor([process.cpuUsage()]) };
  }

  async close() {
    this.hello.close();
  }
}

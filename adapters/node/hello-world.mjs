// The service as the article's Node server has it: one path, one answer, on node:http and nothing else.

import { createServer } from 'node:http';

export const PATH = '/';
const BODY = '{"result":["Hello World!"]}';
const HEADERS = { 'Content-Type': 'application/json' };

/** One server that listens in this process. */
export class HelloWorld {
  /** @param {import('./slowness.mjs').Slowness} slowness */
  constructor(slowness) {
    this.counted = 0;
    this.server = createServer((request, response) => {
      if (request.url !== PATH) return refuse(response, 404, `there is nothing at ${request.url}: ask for ${PATH}\n`);
      if (request.method !== 'GET') return refuse(response, 405, `${PATH} is asked with GET\n`);
      // Counted first, so that no client sees an answer that is not counted yet.
      this.counted += 1;
      const answer = () => response.writeHead(200, HEADERS).end(BODY);
      if (slowness.none) return void answer();
      slowness.take().then(answer, (error) => response.destroy(error));
    });
  }

  /**
   * @param {string} host
   * @param {number} port 0: any free one
   * @returns {Promise<number>} the port it has
   */
  listen(host, port) {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        const address = this.server.address();
        resolve(address !== null && typeof address === 'object' ? address.port : 0);
      });
    });
  }

  /** What was answered since last asked. */
  takeCounted() {
    const counted = this.counted;
    this.counted = 0;
    return counted;
  }

  /** Ends it, with every connection. */
  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {string} sentence
 */
function refuse(response, status, sentence) {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(sentence);
}

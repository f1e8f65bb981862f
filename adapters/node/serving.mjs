// Servers of node:http, each in one process: that of a stack, or a worker of a cluster.

import { types } from './json/message.mjs';
import { Failure } from './kit/failure.mjs';
import { Service } from './kit/service.mjs';

/** @typedef {string} Kind the folder of a technology, whose server.mjs makes servers of node:http */

/** A server that listens. @param {Kind} kind @param {import('./kit/runner.mjs').Served} request @param {import('./kit/service.mjs').Ask} ask */
export async function listening(kind, { host, port, delays }, ask) {
  /** @type {{ create(service: Service): import('node:http').Server, PATH: string }} */
  const { create, PATH } = await import(`./${kind}/server.mjs`);
  const service = new Service(delays, ask, types.answer);
  const server = create(service);
  await new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Failure('refused', `the server cannot listen: ${error.message}`)));
    server.listen(port, host, () => resolve(null));
  });
  const address = server.address();
  const at = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    endpoint: `http://${host.includes(':') ? `[${host}]` : host}:${at}${PATH}`,
    counted: () => service.counted(),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A side that serves in one process. @param {Kind} kind @returns {import('./kit/runner.mjs').Stack['serve']} */
export const alone = (kind) => (request, ask) => listening(kind, request, ask);

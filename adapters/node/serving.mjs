// Servers of node:http, each in one process: that of a stack, or a worker of a cluster.

import * as hello from './hello.mjs';
import { types } from './json/message.mjs';
import * as json from './json/server.mjs';
import { Failure } from './kit/failure.mjs';
import { Service } from './kit/service.mjs';

const SERVERS = { hello, json };

/** @typedef {keyof typeof SERVERS} Kind */

/** A server that listens. @param {Kind} kind @param {import('./kit/runner.mjs').Served} request @param {import('./kit/service.mjs').Ask} ask */
export async function listening(kind, { host, port, delays }, ask) {
  const { create, PATH } = SERVERS[kind];
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

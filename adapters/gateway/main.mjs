// The adapter of the gateway study: one gateway for each way of decoding, and their backends.

import { createRequire } from 'node:module';
import { readingNs } from '../node/kit/clock.mjs';
import { Failure } from '../node/kit/failure.mjs';
import { backend } from './backend.mjs';
import { Conversation } from './contract.mjs';
import { gateway, WAYS } from './gateway.mjs';
import { Service, Serving } from './serving.mjs';
import { Stages } from './stages.mjs';

/** @typedef {import('./contract.mjs').Serve} Serve */

/** @type {Serve} */
async function serveBackend(host, port, options) {
  const service = new Service(options);
  return new Serving(backend(service), '/', service, null).listen(host, port);
}

/**
 * @param {import('./gateway.mjs').Way} way
 * @returns {Serve}
 */
function serveGateway(way) {
  return async (host, port, { backend: behind, ...options }) => {
    if (typeof behind !== 'string' || !URL.canParse(behind)) {
      throw new Failure('bad-request', `backend is ${JSON.stringify(behind)}: it must be the URL of gateway/backend`);
    }
    const service = new Service(options);
    const stages = new Stages();
    return new Serving(gateway(way, new URL(behind), service, stages), '/', service, stages).listen(host, port);
  };
}

const require = createRequire(import.meta.url);
/** @param {string} name */
const versionOf = (name) => require(`${name}/package.json`).version;
/** @type {[string, Serve][]} */
const gateways = Object.entries(WAYS).map(([name, way]) => [`gateway/${name}`, serveGateway(way)]);
const conversation = new Conversation(new Map([...gateways, ['gateway/backend', serveBackend]]), {
  contract: 1,
  adapter: 'gateway',
  language: 'javascript',
  version: require('./package.json').version,
  runtime: `Node.js ${process.version}`,
  libraries: { 'node:http': process.version, saxes: versionOf('saxes'), protobufjs: versionOf('protobufjs') },
  clock: { name: 'CLOCK_MONOTONIC', resolution_ns: 1, reading_ns: readingNs() },
  features: ['closed', 'burn'],
});
process.on('SIGTERM', () => conversation.end().finally(() => process.exit(0)));
await conversation.hold();
process.exit(0);

// The adapter of Node.js: REST servers that the load driver calls.

import { createRequire } from 'node:module';
import { Cluster } from './cluster.mjs';
import { Conversation } from './contract.mjs';
import { Http } from './http.mjs';

const READINGS = 10_000;

/** Nanoseconds that one reading of the clock takes. */
function reading() {
  const began = process.hrtime.bigint();
  for (let each = 0; each < READINGS; each++) process.hrtime.bigint();
  return Number(process.hrtime.bigint() - began) / READINGS;
}

const { version } = createRequire(import.meta.url)('./package.json');
/** @type {[string, import('./contract.mjs').Serve][]} */
const stacks = [
  ['node/http', Http.serve],
  ['node/http-cluster', Cluster.serve],
];
const conversation = new Conversation(new Map(stacks), {
  contract: 1,
  adapter: 'node',
  language: 'javascript',
  version,
  runtime: `Node.js ${process.version}`,
  libraries: { 'node:http': process.version },
  clock: { name: 'CLOCK_MONOTONIC', resolution_ns: 1, reading_ns: reading() },
  features: ['burn'],
});
process.on('SIGTERM', () => conversation.end().finally(() => process.exit(0)));
await conversation.hold();
process.exit(0);

// The runner of Node.js: which stacks there are.

import { createRequire } from 'node:module';
import { Cluster } from './cluster.mjs';
import { connect as byFetch } from './json/fetch.mjs';
import { connect as byHttp } from './json/http.mjs';
import { types } from './json/message.mjs';
import { Runner } from './kit/runner.mjs';
import { grpc } from './own/calls.mjs';
import { listening } from './serving.mjs';

/** @typedef {import('./kit/runner.mjs').Stack} Stack */

/** @param {import('./serving.mjs').Kind} kind @returns {Stack['serve']} */
const alone = (kind) => (request, ask) => listening(kind, request, ask);
/** @param {import('./serving.mjs').Kind} kind @returns {Stack['serve']} */
const several = (kind) => (request, ask) => Cluster.serve(kind, request, ask);

/** @type {[string, Stack][]} */
const stacks = [
  ['json+http', { serve: alone('json'), connect: byHttp, types }],
  ['json+http-cluster', { serve: several('json'), connect: byHttp, types }],
  ['json+fetch', { serve: alone('json'), connect: byFetch, types }],
];
const packaged = createRequire(import.meta.url);
/** @type {Record<string, string>} */
const libraries = { 'node:http': process.version, undici: process.versions['undici'] ?? 'none' };
if (grpc === undefined) {
  stacks.push(['http', { serve: alone('hello') }], ['http-cluster', { serve: several('hello') }]);
} else {
  // Only what carries calls of the user: the host accepts no other stacks with a service.
  const [{ serve }, { connect }, service] = await Promise.all(
    ['server', 'client', 'service'].map((side) => import(`./grpc/${side}.mjs`)),
  );
  stacks.push(['protobuf+grpc', { serve, connect, types: service.types }]);
  for (const name of ['@grpc/grpc-js', '@grpc/proto-loader']) {
    libraries[name] = packaged(`${name}/package.json`).version;
  }
}
const { version } = packaged('./package.json');
await new Runner(new Map(stacks), { version, libraries }).run();

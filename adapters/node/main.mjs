// The runner of Node.js: which stacks there are.

import { createRequire } from 'node:module';
import { Cluster } from './cluster.mjs';
import { connect as byFetch } from './json/fetch.mjs';
import { connect as byHttp } from './json/http.mjs';
import { types } from './json/message.mjs';
import { Runner } from './kit/runner.mjs';
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
  ['http', { serve: alone('hello') }],
  ['http-cluster', { serve: several('hello') }],
];
const { version } = createRequire(import.meta.url)('./package.json');
const libraries = { 'node:http': process.version, undici: process.versions['undici'] ?? 'none' };
await new Runner(new Map(stacks), { version, libraries }).run();

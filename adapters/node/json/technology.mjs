// JSON-RPC over node:http, with one process or several, and over fetch.

import { several } from '../cluster.mjs';
import { alone } from '../serving.mjs';
import { connect as byFetch } from './fetch.mjs';
import { connect as byHttp } from './http.mjs';
import { types } from './message.mjs';

/** @type {import('../technologies.mjs').Technology} */
export const technology = {
  carries: 'all',
  libraries: { 'node:http': process.version, undici: process.versions['undici'] ?? 'none' },
  stacks: async () => ({
    'json+http': { serve: alone('json'), connect: byHttp, types },
    'json+http-cluster': { serve: several('json'), connect: byHttp, types },
    'json+fetch': { serve: alone('json'), connect: byFetch, types },
  }),
};

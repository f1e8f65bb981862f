// The server of the DataSnap article, on node:http alone.

import { several } from '../cluster.mjs';
import { alone } from '../serving.mjs';

/** @type {import('../technologies.mjs').Technology} */
export const technology = {
  carries: 'ours',
  libraries: { 'node:http': process.version },
  stacks: async () => ({ http: { serve: alone('hello') }, 'http-cluster': { serve: several('hello') } }),
};

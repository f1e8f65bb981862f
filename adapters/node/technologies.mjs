// The technologies of the adapter: the folders that have a technology.mjs.

import { existsSync, readdirSync } from 'node:fs';

/**
 * @typedef {object} Technology
 * @property {'all' | 'own' | 'ours'} carries which calls: those of Callbench (ours), those of a service of the user's own, or both.
 *   The host of a program with a service accepts no stacks that carry no calls of it.
 * @property {Record<string, string>} libraries what it is built on, with versions
 * @property {() => Promise<Record<string, import('./kit/runner.mjs').Stack>>} stacks by their names; loads what they need
 */

const here = new URL('.', import.meta.url);
const file = (/** @type {string} */ folder) => new URL(`${folder}/technology.mjs`, here);

/** Those of a program. @param {boolean} own whether it has a service @returns {Promise<Technology[]>} */
export async function technologies(own) {
  const folders = readdirSync(here).filter((folder) => existsSync(file(folder)));
  const every = await Promise.all(folders.sort().map(async (folder) => (await import(file(folder).href)).technology));
  return every.filter(({ carries }) => carries === 'all' || carries === (own ? 'own' : 'ours'));
}

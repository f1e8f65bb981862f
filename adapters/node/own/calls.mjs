// The calls of a service of the user's own: those of the module that the runner was started with, if any.

import { pathToFileURL } from 'node:url';

/**
 * @typedef {object} Codec what JSON.parse gives, as the values of a user, and back
 * @property {(json: any) => any} decode of a message that came
 * @property {(value: any) => any} encode for a message that goes
 * @property {(plain: any) => any} held of what the host says; it throws a Failure where JavaScript has no such value
 * @property {import('./forms.mjs').Same} same the check of an answer
 *
 * @typedef {{ request: Codec, answer: Codec }} OwnCall
 *
 * @typedef {object} Grpc what gRPC needs besides
 * @property {string} proto the file with the service
 * @property {import('../grpc/messages.mjs').Schema} schema
 */

const [, , module] = process.argv;

/** @type {{ calls: Map<string, OwnCall>, grpc?: Grpc }} */
export const { calls, grpc } = module?.endsWith('.mjs')
  ? await import(pathToFileURL(module).href)
  : { calls: new Map() };

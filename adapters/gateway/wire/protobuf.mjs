// The search response as Protocol Buffers, by protobufjs, from the interface of both sides: search.proto.

import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

/** @typedef {import('../items.mjs').Members} Members */

const INTERFACE = readFileSync(new URL('../search.proto', import.meta.url), 'utf8');
const TYPE = protobuf.parse(INTERFACE, { keepCase: true }).root.lookupType('callbench.gateway.SearchResponse');

/**
 * @param {Members} response
 * @returns {Buffer}
 */
export function written(response) {
  return Buffer.from(TYPE.encode(TYPE.fromObject(response)).finish());
}

/**
 * The message; as JSON it is the search response.
 * @param {Buffer} octets
 * @throws {Error} if they are not such a message.
 */
export function read(octets) {
  return TYPE.decode(octets);
}

// JSON-RPC 2.0 by POST on node:http and nothing else.

import { createServer } from 'node:http';
import { Failure } from '../kit/failure.mjs';
import { answered, refused, requested } from './message.mjs';

export const PATH = '/json';
/** Longer requests are refused. */
const MOST_OCTETS = 512 * 1024 * 1024;
/** How long idle connections are kept. The default of 5 s would close connections of clients that pause for longer. */
const KEEP_ALIVE_MS = 600_000;

/** A server that does not listen yet. @param {import('../kit/service.mjs').Service} service */
export function create(service) {
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (request.url !== PATH) return void say(response, 404, `nothing is served at ${request.url}: there is ${PATH}\n`);
    if (request.method !== 'POST') {
      return void say(response.setHeader('Allow', 'POST'), 405, `${PATH} answers calls by POST\n`);
    }
    /** @type {Buffer[]} */
    const pieces = [];
    let length = 0;
    request.on('data', (piece) => {
      length += piece.length;
      if (length <= MOST_OCTETS) pieces.push(piece);
      else if (!response.headersSent) say(response, 413, `a request has at most ${MOST_OCTETS} bytes\n`);
    });
    request.on('end', () => {
      if (length > MOST_OCTETS) return;
      replied(service, Buffer.concat(pieces).toString()).then(
        (text) => say(response, 200, text, 'application/json'),
        crashed,
      );
    });
  });
}

/** The answer to a request. @param {import('../kit/service.mjs').Service} service @param {string} text */
async function replied(service, text) {
  const request = requested(text);
  if (typeof request === 'string') return request;
  try {
    const { call, parameters, own, id } = request;
    const answer = own === undefined ? service.answer(call, parameters) : service.own(call, own.key, own.plain);
    return answered(call, await answer, id);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return refused(thrown.message, request.id);
  }
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {string} text @param {string} [type] */
function say(response, status, text, type = 'text/plain; charset=utf-8') {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
}

/** What no request can bring about: the runner ends, and is not taken for a server that is slow. @param {unknown} error */
function crashed(error) {
  console.error(error);
  process.exit(1);
}

// The gateway: GET /find/ipad/50 sends a POST to the backend, decodes its answer, selects fields, and answers with JSON.

import { Agent, createServer, request as ask } from 'node:http';
import { Once, Twice } from './gather.mjs';
import { query } from './query.mjs';
import * as json from './wire/json.mjs';
import * as protobuf from './wire/protobuf.mjs';
import * as xml from './wire/xml.mjs';

/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

const PATH = /^\/find\/([^/]+)\/(\d{1,5})$/;
const PATIENCE_MS = 8_000;
/** The longest body that is believed. */
const MOST = 64 * 1024 * 1024;

/**
 * @typedef {object} Way how an answer of the backend becomes an object
 * @property {'xml' | 'protobuf' | 'json'} format the requested format
 * @property {boolean} knowsLength whether the body is read into a buffer of its announced length
 * @property {(octets: Buffer) => any} decode
 */

/** @type {Record<string, Way>} */
export const WAYS = {
  xml: { format: 'xml', knowsLength: false, decode: (octets) => xml.read(octets.toString()) },
  json: { format: 'json', knowsLength: false, decode: (octets) => json.read(octets.toString()) },
  // As in the article: the decoder hands on a text, which is parsed again.
  protobuf: { format: 'protobuf', knowsLength: false, decode: again },
  'protobuf-object': { format: 'protobuf', knowsLength: false, decode: protobuf.read },
  'protobuf-length': { format: 'protobuf', knowsLength: true, decode: again },
  'protobuf-both': { format: 'protobuf', knowsLength: true, decode: protobuf.read },
};

/** @param {Buffer} octets */
function again(octets) {
  return JSON.parse(JSON.stringify(protobuf.read(octets)));
}

/**
 * The projection `searchResult.item, errorMessage`: what the answer does not have is left out.
 * @param {any} answer
 */
function projected(answer) {
  return { searchResult: { item: answer.searchResult.item ?? [] }, errorMessage: answer.errorMessage };
}

/**
 * A gateway before a backend, not listening yet.
 * @param {Way} way
 * @param {URL} backend
 * @param {import('./serving.mjs').Service} service counts what is answered, and may delay it
 * @param {import('./stages.mjs').Stages} stages
 */
export function gateway(way, backend, service, stages) {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    request.resume();
    const wanted = request.method === 'GET' ? wished(request.url ?? '') : null;
    if (!wanted) {
      refuse(response, 404, 'ask for /find/KEYWORDS/N, N from 0 to 99999');
      return;
    }
    const url = new URL(`/items/${wanted.n}.${way.format}`, backend);
    asked(way, agent, url, query(wanted.keywords, wanted.n), stages)
      .then(
        (whole) => answered(way, whole, stages),
        (failure) => new Failed(`the backend ${failure.message}`),
      )
      .then((body) =>
        service.answer(() => {
          if (body instanceof Failed) refuse(response, 502, body.message);
          else response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
        }),
      );
  });
  server.on('close', () => agent.destroy());
  return server;
}

/** @param {string} path */
function wished(path) {
  const [, keywords, n] = PATH.exec(path) ?? [];
  if (keywords === undefined) return null;
  try {
    return { keywords: decodeURIComponent(keywords), n: Number(n) };
  } catch {
    return null; // A % that begins no character.
  }
}

/** The error message for a missing answer. */
class Failed {
  /** @param {string} message */
  constructor(message) {
    this.message = message;
  }
}

/**
 * @param {Way} way
 * @param {Buffer} whole
 * @param {import('./stages.mjs').Stages} stages
 */
function answered(way, whole, stages) {
  try {
    const decoded = stages.within('decode', () => way.decode(whole));
    const transformed = stages.within('transform', () => projected(decoded));
    const body = stages.within('encode', () => Buffer.from(JSON.stringify(transformed)));
    stages.carried('decode', whole.length);
    return body;
  } catch (error) {
    return new Failed(`the backend's answer cannot be understood: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * Posts the query and gathers the whole of the answer.
 * @param {Way} way
 * @param {Agent} agent
 * @param {URL} url
 * @param {string} body
 * @param {import('./stages.mjs').Stages} stages
 * @returns {Promise<Buffer>} rejected with what the backend did
 */
function asked(way, agent, url, body, stages) {
  const headers = {
    'Content-Type': 'application/xml',
    'Content-Length': Buffer.byteLength(body),
    'X-Operation-Name': 'findItemsByKeywords',
  };
  const since = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const asking = ask(url, { method: 'POST', agent, headers, timeout: PATIENCE_MS }, (said) => {
      if (said.statusCode !== 200) {
        said.resume();
        reject(new Error(`answered with the status ${said.statusCode}`));
        return;
      }
      gathered(way, said, stages, since, resolve, reject);
    });
    asking.on('timeout', () => asking.destroy(new Error(`has not answered in ${PATIENCE_MS} ms`)));
    asking.on('error', (error) => reject(new Error(`cannot be reached: ${error.message}`)));
    asking.end(body);
  });
}

/**
 * @param {Way} way
 * @param {IncomingMessage} said
 * @param {import('./stages.mjs').Stages} stages
 * @param {bigint} since when the query was posted
 * @param {(whole: Buffer) => void} resolve
 * @param {(error: Error) => void} reject
 */
function gathered(way, said, stages, since, resolve, reject) {
  const length = Number(said.headers['content-length'] ?? 0);
  if (length > MOST) {
    said.destroy();
    reject(new Error(`announces ${length} bytes`));
    return;
  }
  const gathering = way.knowsLength ? new Once(length) : new Twice();
  said.on('data', (piece) => stages.within('decode', () => gathering.take(piece), false));
  said.on('end', () => {
    stages.waited(since);
    resolve(stages.within('decode', () => gathering.whole(), false));
  });
  said.on('error', (error) => reject(new Error(`ended in the middle of its answer: ${error.message}`)));
}

/** @param {ServerResponse} response @param {number} status @param {string} why */
function refuse(response, status, why) {
  const body = Buffer.from(JSON.stringify({ error: why }));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
}

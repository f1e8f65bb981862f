// The server's half of contract/CONTRACT.md: requests on stdin, answers on descriptor 3, which the launcher made of the real stdout.

import { writeSync } from 'node:fs';
import { Failure } from '../node/kit/failure.mjs';

const OUT = 3;
const LONGEST_LINE = 16 * 1024 * 1024;
const CLIENTS_ONLY = ['connect', 'disconnect', 'call', 'drive', 'codec', 'heap', 'serve-all', 'channel'];
const LF = 10;

/**
 * @typedef {object} Serving what is served
 * @property {number} port
 * @property {string} path
 * @property {() => Promise<{ calls: Record<string, number>, processor: object, stages?: object }>} counted by call of the service
 * @property {() => Promise<void>} close
 *
 * @typedef {(host: string, port: number, options: Record<string, unknown>) => Promise<Serving>} Serve
 * @typedef {Record<string, unknown>} Request
 */

/** One conversation with the core. */
export class Conversation {
  /**
   * @param {Map<string, Serve>} stacks by their full names
   * @param {object} hello what is said first
   */
  constructor(stacks, hello) {
    this.stacks = stacks;
    this.lastId = 0;
    /** @type {Serving | null} */
    this.serving = null;
    say({ is: 'hello', ...hello, stacks: [...stacks.keys()] });
  }

  /** Answers line by line until `stop` or the end of stdin. */
  async hold() {
    for await (const line of lines(process.stdin)) {
      if (await this.answered(line)) break;
    }
    await this.end();
  }

  /** Ends what is served. */
  async end() {
    const serving = this.serving;
    this.serving = null;
    await serving?.close();
  }

  /**
   * @param {string | null} line null: it was too long
   * @returns {Promise<boolean>} whether it was `stop`
   */
  async answered(line) {
    // Ids rise by one, so that a line without a readable id still has one.
    let id = this.lastId + 1;
    let stops = false;
    try {
      const request = read(line);
      if (!Number.isSafeInteger(request['id']) || Number(request['id']) < 1) {
        throw new Failure('bad-request', 'the request has no id: it must be a whole number from 1 on');
      }
      id = Number(request['id']);
      stops = request['do'] === 'stop';
      say({ ...(await this.act(request)), id });
    } catch (error) {
      const kind = error instanceof Failure ? error.kind : 'internal';
      say({ is: 'error', id, kind, message: error instanceof Error ? error.message : String(error) });
    }
    this.lastId = id;
    return stops;
  }

  /**
   * @param {Request} request
   * @returns {Promise<object>} the answer, without its id
   */
  async act(request) {
    const what = request['do'];
    switch (what) {
      case 'serve':
        return { is: 'serving', endpoint: await this.serve(request) };
      case 'counted': {
        const { calls, ...more } = await this.served().counted();
        const made = Object.entries(calls).filter(([, count]) => count > 0);
        return { is: 'counts', calls: Object.fromEntries(made), ...more };
      }
      case 'stop-serving':
        this.served();
        await this.end();
        return { is: 'stopped-serving' };
      case 'stop':
        await this.end();
        return { is: 'stopped' };
    }
    if (CLIENTS_ONLY.includes(String(what))) {
      throw new Failure(
        'unsupported',
        `this adapter has servers only, so it cannot ${what}: the load driver calls them`,
      );
    }
    throw new Failure('bad-request', `the request to do ${shown(what)} is not known`);
  }

  /**
   * @param {Request} request
   * @returns {Promise<string>} the endpoint
   */
  async serve(request) {
    const { stack, host, port, options = {} } = request;
    const serve = this.stacks.get(String(stack));
    if (serve === undefined) {
      throw new Failure('bad-request', `stack ${shown(stack)} is not one of mine: hello lists them`);
    }
    if (typeof host !== 'string' || host === '') {
      throw new Failure('bad-request', `host is ${shown(host)}: it must be an address`);
    }
    if (!(Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65535)) {
      throw new Failure('bad-request', `port is ${shown(port)}: it must be from 0 to 65535`);
    }
    if (options === null || typeof options !== 'object' || Array.isArray(options)) {
      throw new Failure('bad-request', `options is ${shown(options)}: it must be an object`);
    }
    if (this.serving !== null) throw new Failure('bad-request', 'something is served already: say stop-serving first');
    this.serving = await serve(host, Number(port), /** @type {Record<string, unknown>} */ (options));
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.serving.port}${this.serving.path}`;
  }

  served() {
    if (this.serving === null) throw new Failure('bad-request', 'nothing is served: say serve first');
    return this.serving;
  }
}

/**
 * @param {string | null} line
 * @returns {Request}
 */
function read(line) {
  if (line === null) throw new Failure('bad-request', `the line is longer than ${LONGEST_LINE} bytes`);
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Failure('bad-request', `the line is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new Failure('bad-request', 'the line is no JSON object');
  }
  return /** @type {Request} */ (value);
}

/** @param {unknown} value */
function shown(value) {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 64);
}

/**
 * Lines without their LF; null for a line that is too long, which is not kept.
 *
 * @param {AsyncIterable<Buffer>} input
 */
async function* lines(input) {
  /** @type {Buffer[]} */
  let pieces = [];
  let length = 0;
  for await (let chunk of input) {
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF)) {
      length += end;
      pieces.push(chunk.subarray(0, end));
      yield length > LONGEST_LINE ? null : Buffer.concat(pieces).toString('utf8');
      [pieces, length, chunk] = [[], 0, chunk.subarray(end + 1)];
    }
    length += chunk.length;
    if (length > LONGEST_LINE) pieces = [];
    else if (chunk.length > 0) pieces.push(chunk);
  }
}

/** @param {object} message */
function say(message) {
  let octets = Buffer.from(`${JSON.stringify(message)}\n`);
  while (octets.length > 0) octets = octets.subarray(writeSync(OUT, octets));
}

// JSON-RPC 2.0 with JSON.parse and JSON.stringify, and the types of its users in Node.js: numbers, strings, plain objects and arrays.
// Bytes are a Buffer, which is base64 in the message.

import { same } from '../kit/check.mjs';
import { Failure } from '../kit/failure.mjs';
import { calls } from '../own/calls.mjs';

/** Octets where JSON has base64: of requests and of answers. */
const OCTETS_SENT = 'SendByteArray';
const OCTETS_ANSWERED = 'GetBinaryData';
/** What JSON has for the numbers that the plain values have as strings. */
const NONE = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity, '-0': -0 };
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The code of JSON-RPC for a service that refuses; its own are -32700 to -32600. */
const FAULT = -32000;
const INT = (/** @type {any} */ value) => Number.isInteger(value) && value === (value | 0);
const TEXT = (/** @type {any} */ value) => typeof value === 'string';
const LONG = (/** @type {any} */ value) => Number.isSafeInteger(value);
const ANY = (/** @type {any} */ value) => value !== undefined;
/** The parameters of each operation, and which values the service can take. A Send has one, `value`. */
const OPERATIONS = new Map(
  Object.entries({
    ...{ Empty: {}, Hello: {}, Sum: { a: INT, b: INT }, GetPersons: { n: INT }, FindItems: { n: INT } },
    ...{ GetBinaryData: { size: INT, fill: TEXT }, EchoString: { value: TEXT }, EchoStructure: { structure: ANY } },
    ...{
      SendLong: { value: LONG },
      SendLongArray: { value: (/** @type {any} */ all) => Array.isArray(all) && all.every(LONG) },
    },
  }),
);
for (const type of ['Boolean', 'Byte', 'Char', 'Short', 'Int', 'Float', 'Double', 'String', 'Object']) {
  OPERATIONS.set(`Send${type}`, { value: ANY }).set(`Send${type}Array`, { value: ANY });
}

/** Plain values to the types of a user, and back. @type {NonNullable<import('../kit/runner.mjs').Stack['types']>} */
export const types = {
  arguments(call, plain) {
    const own = calls.get(call);
    if (own !== undefined) return { request: own.request.held(plain.request) };
    const { value } = plain;
    if (call === OCTETS_SENT) return { value: Buffer.from(value, 'base64') };
    if (/^Send(Long|Float|Double)/.test(call)) {
      const number = call.startsWith('SendLong') ? long : real;
      return { value: Array.isArray(value) ? value.map(number) : number(value) };
    }
    return held(plain);
  },
  answer(call, plain) {
    const own = calls.get(call);
    if (own !== undefined) return own.answer.held(plain);
    return call === OCTETS_ANSWERED ? Buffer.from(plain, 'base64') : held(plain);
  },
  plain(call, answer) {
    const own = calls.get(call);
    if (own !== undefined) return own.answer.encode(answer);
    if (answer instanceof Uint8Array) {
      return Buffer.from(answer.buffer, answer.byteOffset, answer.length).toString('base64');
    }
    return mapped(answer, (value) =>
      typeof value === 'string' && LONE_SURROGATE.test(value) ? { utf16: unitsOf(value) } : value,
    );
  },
  check: (call) => calls.get(call)?.answer.same ?? same,
};

/** @param {string} text */
const unitsOf = (text) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));

/** A plain value without bytes, in which the text of a long becomes a number. @param {any} plain */
const held = (plain) => mapped(plain, (value, name) => (name === 'created' ? long(value) : value));

/** A copy with each scalar exchanged. @param {any} value @param {(scalar: any, name: string) => any} to @param {string} [name] @returns {any} */
function mapped(value, to, name = '') {
  if (Array.isArray(value)) return value.map((part) => mapped(part, to, name));
  if (value === null || typeof value !== 'object') return to(value, name);
  if (Array.isArray(value.utf16)) {
    return value.utf16.map((/** @type {number} */ unit) => String.fromCharCode(unit)).join('');
  }
  return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, mapped(part, to, member)]));
}

/** @param {string | number} plain */
function long(plain) {
  const number = Number(plain);
  if (Number.isSafeInteger(number)) return number;
  throw new Failure('cannot-carry', `JSON.parse reads ${plain} as a double, which is exact up to 2^53 only`);
}

/** @param {string | number} plain */
function real(plain) {
  const number = Object.entries(NONE).find(([name]) => name === plain)?.[1] ?? Number(plain);
  if (Number.isFinite(number) && !Object.is(number, -0)) return number;
  throw new Failure('cannot-carry', `JSON.stringify writes ${Object.is(number, -0) ? '-0 as 0' : `${number} as null`}`);
}

/** The text of a request. @param {import('../kit/loop.mjs').Payload} payload */
export function requestOf({ call, arguments: params }) {
  if (call === OCTETS_SENT) {
    return JSON.stringify({ jsonrpc: '2.0', method: call, params: { value: params.value.toString('base64') }, id: 1 });
  }
  const own = calls.get(call);
  if (own !== undefined) {
    return JSON.stringify({
      jsonrpc: '2.0',
      method: call,
      params: { request: own.request.encode(params.request) },
      id: 1,
    });
  }
  return JSON.stringify({ jsonrpc: '2.0', method: call, params, id: 1 });
}

/** The content of an answer, or the Failure that it reports. @param {string} call @param {any} message from JSON.parse */
export function contentOf(call, message) {
  if (message?.error) return new Failure('fault', String(message.error.message));
  if (message?.result === undefined) return new Failure('protocol', 'the answer has no result and no error');
  const own = calls.get(call);
  if (own !== undefined) return decoded(own, message.result);
  if (call !== OCTETS_ANSWERED) return message.result;
  return typeof message.result === 'string'
    ? Buffer.from(message.result, 'base64')
    : new Failure('protocol', 'the bytes are no text');
}

/** @param {import('../own/calls.mjs').OwnCall} own @param {any} result */
function decoded({ answer }, result) {
  try {
    return answer.decode(result);
  } catch (error) {
    return new Failure('protocol', `the answer is not of its type: ${error instanceof Error ? error.message : error}`);
  }
}

/** The text that answers a call with a result. @param {string} call @param {any} result @param {unknown} id */
export function answered(call, result, id) {
  const own = calls.get(call);
  if (own !== undefined) return JSON.stringify({ jsonrpc: '2.0', result: own.answer.encode(result), id });
  return JSON.stringify({ jsonrpc: '2.0', result: result instanceof Buffer ? result.toString('base64') : result, id });
}

/** The text that answers with an error. @param {string} message @param {unknown} id @param {number} [code] */
export function refused(message, id, code = FAULT) {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
}

/** A request as the service is called with it, or the text that refuses it. @param {string} text @returns {string | { call: string, parameters: any, id: unknown, own?: { key: string, plain(): { request: any } } }} */
export function requested(text) {
  /** @type {any} */
  let request;
  try {
    request = JSON.parse(text);
  } catch (error) {
    return refused(`the request is no JSON: ${error instanceof Error ? error.message : error}`, null, -32700);
  }
  if (request === null || typeof request !== 'object' || Array.isArray(request)) {
    return refused('a request is one object', null, -32600);
  }
  const { jsonrpc, method, params = {}, id = null } = request;
  if (jsonrpc !== '2.0') return refused('jsonrpc must be "2.0"', id, -32600);
  if (typeof method !== 'string') return refused('method must be a string', id, -32600);
  const own = calls.get(method);
  if (own !== undefined) return requestedOwn(own, method, Array.isArray(params) ? params[0] : params?.request, id);
  const operation = OPERATIONS.get(method);
  if (operation === undefined) return refused(`the service has no operation ${method.slice(0, 64)}`, id, -32601);
  const wanted = Object.entries(operation);
  // By name, or by position.
  const parameters = Array.isArray(params)
    ? Object.fromEntries(wanted.map(([name], place) => [name, params[place]]))
    : params;
  const wrong = wanted.find(([name, fits]) => !fits(parameters?.[name]))?.[0];
  if (wrong !== undefined) return refused(`${method} has no ${wrong}, or one that it cannot take`, id, -32602);
  if (method === OCTETS_SENT) parameters.value = Buffer.from(parameters.value, 'base64');
  return { call: method, parameters, id };
}

/**
 * A call of a service of the user's own. The answer is looked up by the text of the request, the only form of a plain object that can be
 * looked up.
 *
 * @param {import('../own/calls.mjs').OwnCall} own @param {string} call @param {any} json the request @param {unknown} id
 */
function requestedOwn({ request }, call, json, id) {
  if (json === undefined) return refused(`${call} has no request`, id, -32602);
  /** For the host, which is asked only once: there is time to see whether JSON.parse kept all of it. */
  const plain = () => {
    request.held(json);
    return { request: json };
  };
  try {
    return { call, parameters: { request: request.decode(json) }, id, own: { key: JSON.stringify(json), plain } };
  } catch (error) {
    return refused(`${call} cannot take the request: ${error instanceof Error ? error.message : error}`, id, -32602);
  }
}

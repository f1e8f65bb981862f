// What the clients of HTTP meet, in the words of the contract.

import { Failure } from '../kit/failure.mjs';

/** @type {Record<string, string[]>} by their codes */
const KINDS = {
  refused: ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'],
  closed: ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED'],
  timeout: ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  'out-of-resources': ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'],
};

/** An error of the library as a Failure; fetch hides it as the cause of another. @param {any} error */
export function failureOf(error) {
  if (error instanceof Failure) return error;
  const { name, code = '', message } = error?.cause ?? error;
  if (name === 'TimeoutError' || name === 'AbortError') return timedOut();
  if (name === 'SyntaxError' || String(code).startsWith('HPE_')) {
    return new Failure('protocol', `the answer cannot be understood: ${message}`);
  }
  const kind = Object.keys(KINDS).find((each) => KINDS[each]?.includes(code));
  return new Failure(kind ?? 'internal', message || String(code || name));
}

export const timedOut = () => new Failure('timeout', 'no answer came in time');

/** The error for a status other than 200. @param {number | undefined} status @param {string} text */
export function refusedWith(status, text) {
  return new Failure(
    status === 413 ? 'too-large' : 'protocol',
    `the server answers ${status}: ${text.trimEnd().slice(0, 300)}`,
  );
}

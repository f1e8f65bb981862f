// A client as users of the built-in fetch (undici) write it: its own pool of connections, and as many calls in flight as there are clients.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { failureOf, refusedWith } from './failures.mjs';
import { contentOf, requestOf } from './message.mjs';

/** The diagnostics channel on which undici reports each new connection. */
const CONNECTED = 'undici:client:connected';
const HEADERS = { 'Content-Type': 'application/json' };

/** @type {NonNullable<import('../kit/runner.mjs').Stack['connect']>} */
export async function connect({ endpoint, clients, timeout_ms }) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const noted = (/** @type {any} */ { socket }) => void sockets.add(socket.once('close', () => sockets.delete(socket)));
  subscribe(CONNECTED, noted);
  const close = () => {
    unsubscribe(CONNECTED, noted);
    for (const socket of sockets) socket.destroy();
  };
  const client = {
    call: (/** @type {import('../kit/loop.mjs').Payload} */ payload) => posted(endpoint, timeout_ms, payload),
  };
  try {
    // A connection is only opened by a request, and a GET makes no call. All requests start together, so that none reuses another's
    // connection.
    await Promise.all(Array.from({ length: clients }, () => opened(endpoint, timeout_ms)));
  } catch (error) {
    close();
    throw failureOf(error);
  }
  return { clients: Array.from({ length: clients }, () => client), connections: sockets.size, close };
}

/** One call: its answer, or the Failure. @param {string} endpoint @param {number} timeout_ms @param {import('../kit/loop.mjs').Payload} payload */
async function posted(endpoint, timeout_ms, payload) {
  try {
    const asking = {
      method: 'POST',
      headers: HEADERS,
      body: requestOf(payload),
      signal: AbortSignal.timeout(timeout_ms),
    };
    const response = await fetch(endpoint, asking);
    if (response.status !== 200) return refusedWith(response.status, await response.text());
    return contentOf(payload.call, await response.json());
  } catch (error) {
    return failureOf(error);
  }
}

/** @param {string} endpoint @param {number} timeout_ms */
async function opened(endpoint, timeout_ms) {
  await (await fetch(endpoint, { signal: AbortSignal.timeout(timeout_ms) })).text();
}

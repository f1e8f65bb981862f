// A client as users of node:http write it: one keep-alive agent, and as many calls in flight as there are clients.

import { Agent, request } from 'node:http';
import { failureOf, refusedWith, timedOut } from './failures.mjs';
import { contentOf, requestOf } from './message.mjs';

/** @type {NonNullable<import('../kit/runner.mjs').Stack['connect']>} */
export async function connect({ endpoint, clients, timeout_ms }) {
  const url = new URL(endpoint);
  // Keeps as many sockets as there are clients. With the agent's default of 256, further clients would connect again for each call.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Math.max(256, clients) });
  const to = { host: url.hostname, port: url.port, path: url.pathname, agent, timeout: timeout_ms };
  const client = { call: (/** @type {import('../kit/loop.mjs').Payload} */ payload) => posted(to, payload) };
  try {
    await Promise.all(Array.from({ length: clients }, () => opened(to)));
  } catch (error) {
    agent.destroy();
    throw failureOf(error);
  }
  const sockets = [agent.sockets, agent.freeSockets].flatMap((pool) => Object.values(pool).flat());
  return {
    clients: Array.from({ length: clients }, () => client),
    connections: sockets.length,
    close: () => agent.destroy(),
  };
}

/** One call: its answer, or the Failure. @param {import('node:http').RequestOptions} to @param {import('../kit/loop.mjs').Payload} payload */
function posted(to, payload) {
  return new Promise((resolve) => {
    const body = requestOf(payload);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const failed = (/** @type {Error} */ error) => resolve(failureOf(error));
    const asking = request({ ...to, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => (text += piece));
      response.on('error', failed).on('end', () => resolve(answerOf(payload.call, response.statusCode, text)));
    });
    asking.on('error', failed).on('timeout', () => asking.destroy(timedOut()));
    asking.end(body);
  });
}

/** @param {string} call @param {number | undefined} status @param {string} text */
function answerOf(call, status, text) {
  if (status !== 200) return refusedWith(status, text);
  try {
    return contentOf(call, JSON.parse(text));
  } catch (error) {
    return failureOf(error);
  }
}

/** Has the agent open a connection: it does so for a request only, and a GET calls nothing. @param {import('node:http').RequestOptions} to */
function opened(to) {
  return new Promise((resolve, reject) => {
    const asking = request(to, (response) => response.resume().on('close', resolve));
    asking.on('error', reject).on('timeout', () => asking.destroy(timedOut()));
    asking.end();
  });
}

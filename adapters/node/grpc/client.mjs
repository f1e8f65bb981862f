// A client of gRPC by @grpc/grpc-js: a channel for each client, and a deadline for each call.

import { Client, connectivityState, credentials, Metadata, status } from '@grpc/grpc-js';
import { Failure } from '../kit/failure.mjs';
import { methodOf } from './service.mjs';

/** Channels of one process share a connection unless told otherwise. Messages may be as large as they are. */
const OPTIONS = { 'grpc.use_local_subchannel_pool': 1, 'grpc.max_receive_message_length': -1 };

const { READY, TRANSIENT_FAILURE } = connectivityState;
/** @type {Record<number, string>} */
const KINDS = {
  [status.INVALID_ARGUMENT]: 'fault',
  [status.DEADLINE_EXCEEDED]: 'timeout',
  [status.UNAVAILABLE]: 'closed',
  [status.CANCELLED]: 'closed',
  [status.RESOURCE_EXHAUSTED]: 'too-large',
  [status.UNIMPLEMENTED]: 'protocol',
};

/** @type {NonNullable<import('../kit/runner.mjs').Stack['connect']>} */
export async function connect({ endpoint, clients, timeout_ms }) {
  const channels = Array.from({ length: clients }, () => new Client(endpoint, credentials.createInsecure(), OPTIONS));
  const close = () => channels.forEach((channel) => channel.close());
  try {
    await Promise.all(channels.map((channel) => ready(channel, endpoint, timeout_ms)));
  } catch (error) {
    close();
    throw error;
  }
  const callers = channels.map((channel) => ({
    call: (/** @type {import('../kit/loop.mjs').Payload} */ payload) => called(channel, timeout_ms, payload),
  }));
  return { clients: callers, connections: clients, close };
}

/** One call, as the methods of a client have it: its answer, or the Failure. @param {Client} channel @param {number} timeout_ms @param {import('../kit/loop.mjs').Payload} payload */
function called(channel, timeout_ms, payload) {
  return new Promise((resolve) => {
    const { path, requestSerialize, responseDeserialize } = methodOf(payload.call);
    const deadline = Date.now() + timeout_ms;
    channel.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      payload.arguments.request,
      new Metadata(),
      { deadline },
      (error, answer) => resolve(error === null ? answer : failureOf(error)),
    );
  });
}

/** @param {import('@grpc/grpc-js').ServiceError} error */
const failureOf = ({ code, details }) => new Failure(KINDS[code] ?? 'internal', details);

/** Waits until a channel is connected, or cannot be. @param {Client} client @param {string} endpoint @param {number} timeout_ms */
function ready(client, endpoint, timeout_ms) {
  return new Promise((resolve, reject) => {
    const channel = client.getChannel();
    const refused = () => reject(new Failure('refused', `no connection to ${endpoint}`));
    const look = () => {
      const state = channel.getConnectivityState(true);
      if (state === READY) resolve(null);
      else if (state === TRANSIENT_FAILURE) refused();
      else channel.watchConnectivityState(state, Date.now() + timeout_ms, (error) => (error ? refused() : look()));
    };
    look();
  });
}

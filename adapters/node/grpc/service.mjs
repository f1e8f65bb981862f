// The service of the user's own as gRPC has it: its methods by @grpc/proto-loader, from the .proto beside the module of its calls.

import { loadSync } from '@grpc/proto-loader';
import { same } from '../kit/check.mjs';
import { Failure } from '../kit/failure.mjs';
import { grpc } from '../own/calls.mjs';
import { Messages } from './messages.mjs';

/** As the documentation of gRPC for Node.js has them, but for enumerations, whose names in JSON need not be those of the .proto. */
const OPTIONS = { keepCase: true, longs: String, defaults: true, oneofs: true };

/** @typedef {import('@grpc/proto-loader').MethodDefinition<any, any>} Method */

if (grpc === undefined) throw new Failure('unsupported', 'only calls of the user are served over gRPC');
const { proto, schema } = grpc;
/** @type {Record<string, Method>} */
export const methods = /** @type {any} */ (loadSync(proto, OPTIONS)[schema.service]);
export const messages = new Messages(schema);

/** @param {string} call @returns {Method} */
export function methodOf(call) {
  const method = Object.hasOwn(methods, call) ? methods[call] : undefined;
  if (method === undefined) throw new Failure('unsupported', `${call} is no call of the service`);
  return method;
}

/** The types of the request and of the answer of a call. @param {string} call @returns {[string, string]} */
const typesOf = (call) => schema.calls[call] ?? ['', ''];

/** An answer in the types of the library: as it would come. @param {string} call @param {any} json */
export function answerOf(call, json) {
  const { responseSerialize, responseDeserialize } = methodOf(call);
  return responseDeserialize(responseSerialize(messages.fromJson(typesOf(call)[1], json)));
}

/** The JSON of a request. @param {string} call @param {any} request */
export const requestJson = (call, request) => messages.toJson(typesOf(call)[0], request);

/** @type {NonNullable<import('../kit/runner.mjs').Stack['types']>} */
export const types = {
  exact: true,
  arguments: (call, plain) => ({ request: messages.fromJson(typesOf(call)[0], plain.request) }),
  answer: answerOf,
  plain: (call, answer) => messages.toJson(typesOf(call)[1], answer),
  check: () => same,
};

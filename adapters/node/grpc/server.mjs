// A server of gRPC by @grpc/grpc-js, for the calls of a service of the user's own.

import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { parse } from '../kit/exact.mjs';
import { Failure } from '../kit/failure.mjs';
import { Service } from '../kit/service.mjs';
import { answerOf, methodOf, methods, requestJson } from './service.mjs';

/** @type {import('../kit/runner.mjs').Stack['serve']} */
export async function serve({ host, port, delays }, ask) {
  // All digits of the numbers count: the library keeps them.
  const service = new Service(delays, async (...call) => parse((await ask(...call)).line ?? 'null'), answerOf);
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  const answering = Object.keys(methods).map((call) => [call, unary(service, call)]);
  server.addService(/** @type {any} */ (methods), Object.fromEntries(answering));
  const at = host.includes(':') ? `[${host}]` : host;
  const bound = await new Promise((resolve, reject) => {
    server.bindAsync(`${at}:${port}`, ServerCredentials.createInsecure(), (error, number) => {
      if (error === null) resolve(number);
      else reject(new Failure('refused', `the server cannot listen: ${error.message}`));
    });
  });
  return { endpoint: `${at}:${bound}`, counted: () => service.counted(), close: () => server.forceShutdown() };
}

/** @param {Service} service @param {string} call @returns {import('@grpc/grpc-js').handleUnaryCall<any, any>} */
function unary(service, call) {
  const { requestSerialize } = methodOf(call);
  return ({ request }, callback) => {
    // An object cannot be looked up, but the bytes of its message can.
    const key = requestSerialize(request).toString('latin1');
    service
      .own(call, key, () => ({ request: requestJson(call, request) }))
      .then(
        (answer) => callback(null, answer),
        (error) =>
          callback({
            code: error instanceof Failure ? status.INVALID_ARGUMENT : status.INTERNAL,
            details: error.message,
          }),
      );
  };
}

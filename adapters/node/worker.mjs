// A worker of a cluster: it serves, and reports its counts to the first process. node:cluster ends it with that process.

import { listening } from './serving.mjs';

const { kind, ...request } = JSON.parse(process.env['CALLBENCH_WORKER'] ?? '{}');
/** @type {Map<number, (answer: any) => void>} questions without an answer yet */
const asked = new Map();
let asks = 0;

/** @type {import('./kit/service.mjs').Ask} */
function ask(call, parameters) {
  const number = ++asks;
  process.send?.({ ask: number, call, parameters });
  return new Promise((resolve) => asked.set(number, resolve));
}

process.on('SIGTERM', () => process.exit(0));
try {
  const serving = await listening(kind, request, ask);
  process.on('message', (/** @type {any} */ message) => {
    if (message.ask === undefined) process.send?.({ counted: serving.counted().calls, used: process.cpuUsage() });
    else asked.get(message.ask)?.(message.answer);
    asked.delete(message.ask);
  });
  process.send?.({ endpoint: serving.endpoint });
} catch (error) {
  process.send?.({ error: error instanceof Error ? error.message : String(error) });
}

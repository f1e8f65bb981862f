// A worker of `node/http-cluster`: serves, and tells the first process what it counted. It ends when that one is gone, by node:cluster.

import { HelloWorld } from './hello-world.mjs';
import { Slowness } from './slowness.mjs';

const { host, port } = JSON.parse(process.env['CALLBENCH_LISTEN'] ?? '{}');
const hello = new HelloWorld(new Slowness(JSON.parse(process.argv[2] ?? '{}')));

process.on('SIGTERM', () => process.exit(0));
process.on('message', () => process.send?.({ calls: hello.takeCounted(), used: process.cpuUsage() }));
try {
  process.send?.({ port: await hello.listen(host, port) });
} catch (error) {
  process.send?.({ error: error instanceof Error ? error.message : String(error) });
}

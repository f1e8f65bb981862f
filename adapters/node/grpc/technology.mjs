// gRPC by @grpc/grpc-js. Its modules need the calls of a service, so they are loaded only where there is one.

import { createRequire } from 'node:module';

const packaged = createRequire(import.meta.url);
const PACKAGES = ['@grpc/grpc-js', '@grpc/proto-loader'];

/** @type {import('../technologies.mjs').Technology} */
export const technology = {
  carries: 'own',
  get libraries() {
    return Object.fromEntries(PACKAGES.map((name) => [name, packaged(`${name}/package.json`).version]));
  },
  async stacks() {
    const [{ serve }, { connect }, { types }] = await Promise.all([
      import('./server.mjs'),
      import('./client.mjs'),
      import('./service.mjs'),
    ]);
    return { 'protobuf+grpc': { serve, connect, types } };
  },
};

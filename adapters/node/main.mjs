// The runner of Node.js: it has the stacks of every technology.

import { createRequire } from 'node:module';
import { Runner } from './kit/runner.mjs';
import { grpc } from './own/calls.mjs';
import { technologies } from './technologies.mjs';

const { version } = createRequire(import.meta.url)('./package.json');
const every = await technologies(grpc !== undefined);
const stacks = await Promise.all(every.map((technology) => technology.stacks()));
const libraries = Object.assign({}, ...every.map((technology) => technology.libraries));
await new Runner(new Map(stacks.flatMap((named) => Object.entries(named))), { version, libraries }).run();

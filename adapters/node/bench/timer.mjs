// A bare timer loop: waits for each of a row of moments and notes how late it was. timer.mjs GAP_NS COUNT HOW prints the 99th percentile of its
// lateness and its processor time, in ns. HOW: `timers`, by setTimeout alone, as Node.js has it; `turns`, its last millisecond in turns of the
// event loop, as the kit waits.

import { hrtime } from 'node:process';

const [gap = 0, count = 0] = process.argv.slice(2).map(Number);
const turns = process.argv[4] === 'turns';
const now = () => Number(hrtime.bigint());

/** @type {number[]} */
const late = [];
const start = now();
for (let each = 1; each <= count; each++) {
  const due = start + each * gap;
  const idle = now();
  for (let left = due - idle; left > 0; left = due - now()) {
    const ms = turns ? Math.floor((left - 260_000) / 1e6) : Math.ceil(left / 1e6);
    await new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
  }
  // As in the kit: from the later of the moment it was due and the moment the loop was idle.
  late.push(now() - Math.max(due, idle));
}
const { user, system } = process.cpuUsage();
late.sort((one, other) => one - other);
console.log(JSON.stringify([late[Math.floor(count * 0.99)], (user + system) * 1000]));

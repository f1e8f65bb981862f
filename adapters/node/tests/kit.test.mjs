// Tests of the kit: golden traces, histogram, waits, check, service. `node --test adapters/node` runs them. No test asserts a time.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { same } from '../kit/check.mjs';
import { monotonic, now, readingNs, waitUntil } from '../kit/clock.mjs';
import { Failure } from '../kit/failure.mjs';
import { Histogram, bucketOf, lowerBound } from '../kit/histogram.mjs';
import { Drive } from '../kit/loop.mjs';
import { played } from '../kit/runner.mjs';
import { Service } from '../kit/service.mjs';

const TRACES = new URL('../../../contract/golden/traces/', import.meta.url);
const AT_ONCE = { delay_us: 0, stall_us: 0, stall_every_us: 0, burn_us: 0 };
const PLAN = {
  ...{ clients: 1, start: 0, length_ns: 0, limit_ns: 60e9, calls: 3, think_ns: 0, ramp_up_ns: 0, gaps: null },
  ...{ timing: /** @type {const} */ ('each'), burn_ns: 0, reading_ns: 30, spin_ns: { thought: 0, arrival: 60_000 } },
};
const PAYLOAD = { call: 'Empty', arguments: {}, answer: null };

for (const file of readdirSync(TRACES).filter((name) => name.endsWith('.json'))) {
  test(`golden trace ${file}`, async () => {
    const { expect, ...trace } = JSON.parse(readFileSync(new URL(file, TRACES), 'utf8'));
    const { done, made } = JSON.parse(JSON.stringify(await played(trace)));
    const wanted = { ...expect.done, late: expect.late, gave_up: expect.gave_up };
    // The host makes these of `late`.
    for (const hosts of ['window_ns', 'answered', 'in_flight', 'in_flight_part', 'timed']) delete wanted[hosts];
    for (const name of Object.keys(wanted)) assert.deepEqual(done[name], wanted[name], name);
    assert.deepEqual(made, expect.made);
  });
}

test('buckets follow the formula of the contract, on both sides of what a word holds', () => {
  const octave = (/** @type {number} */ value) => value.toString(2).length - 1;
  for (const value of [
    0,
    1,
    127,
    128,
    255,
    256,
    12345,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 31 + 2 ** 24,
    2 ** 40 + 1,
    2 ** 42 - 1,
  ]) {
    const e = octave(value);
    const wanted = value < 128 ? value : 128 * (e - 6) + Math.floor(value / 2 ** (e - 7)) - 128;
    assert.equal(bucketOf(value), wanted, `${value}`);
    assert.ok(lowerBound(wanted) <= value && value < lowerBound(wanted + 1), `${value}`);
  }
  assert.equal(bucketOf(2 ** 50), bucketOf(2 ** 42 - 1));
});

test('a histogram says count, sum, ends and middle exactly', () => {
  const one = new Histogram();
  assert.deepEqual(one.toJSON(), { count: 0, sum_ns: '0', min_ns: 0, max_ns: 0, buckets: [] });
  assert.equal(one.median(), null);
  for (const value of [5, 5, 100, 3e9]) one.record(value);
  const buckets = [5, 100, 3e9].map((value) => [bucketOf(value), value === 5 ? 2 : 1]);
  assert.deepEqual(one.toJSON(), { count: 4, sum_ns: '3000000110', min_ns: 5, max_ns: 3e9, buckets });
  assert.equal(one.median(), 5);
});

test('the clock is the monotonic one, whole and rising', () => {
  let last = 0;
  for (let each = 0; each < 100_000; each++) {
    const next = now();
    assert.ok(next >= last && Number.isInteger(next));
    last = next;
  }
  assert.ok(Math.abs(last - Number(process.hrtime.bigint())) < 1e9);
  assert.ok(readingNs() > 0);
});

test('no wait ends early, and what is behind it goes on meanwhile', async () => {
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 1);
  for (const spin of [0, 60_000]) {
    const until = now() + 5e6;
    assert.ok((await waitUntil(monotonic, until, spin)) >= until);
  }
  clearInterval(ticking);
  assert.ok(turns > 0);
});

test('a drive counts what its clients meet, and a fault of the kit is none of them', async () => {
  const answers = [null, 'wrong', new Failure('timeout', 'too late'), null, null];
  let calls = 0;
  const drive = new Drive({ ...PLAN, calls: 5, start: now() }, [PAYLOAD], same, monotonic);
  const { latency, ...done } = await drive.run([{ call: async () => answers[calls++] }]);
  assert.deepEqual([done.calls, done.errors], [3, { 'wrong-answer': 1, timeout: 1 }]);
  assert.equal(latency?.count, 3);
  assert.equal(done.error_messages['timeout'], 'too late');
  const sum = Number(done.in_call_ns) + Number(done.think_ns) + Number(done.gap_ns);
  assert.equal(sum, done.elapsed_ns);
  const broken = new Drive({ ...PLAN, start: now() }, [PAYLOAD], same, monotonic);
  await assert.rejects(broken.run([{ call: () => Promise.reject(new TypeError('a mistake of ours')) }]), TypeError);
});

test('where the service refuses, no answer is right', async () => {
  const payload = { ...PAYLOAD, fault: 'n is -1' };
  const drive = new Drive({ ...PLAN, calls: 1, start: now() }, [payload], same, monotonic);
  assert.deepEqual((await drive.run([{ call: async () => null }])).errors, { 'wrong-answer': 1 });
});

test('the check sees every field in time, and the last one always', () => {
  const people = Array.from({ length: 9 }, (_, ID) => ({ ID, FirstName: `a${ID}`, LastName: null }));
  const changed = (/** @type {number} */ at) =>
    people.map((one, place) => (place === at ? { ...one, FirstName: 'x' } : one));
  assert.ok(same(people, structuredClone(people), 4));
  assert.ok(same({ a: 1, b: null }, { a: 1 }, 0) && same({ a: 1 }, { a: 1, b: null }, 0));
  assert.ok(!same(people, changed(8), 0), 'the last');
  assert.ok(!same(people, changed(4), 4) && !same(people, changed(4), 13), 'the one whose turn it is');
  assert.ok(!same(people, people.slice(1), 0) && !same(people, null, 0) && !same(people, {}, 0));
  assert.ok(!same({ a: 1 }, { a: 1, b: 2 }, 0) && !same({ a: 1, b: 2 }, { a: 1 }, 0));
  const octets = Buffer.from([1, 2, 3, 4]);
  assert.ok(same(octets, Buffer.from(octets), 2));
  for (const [at, turn] of [
    [0, 2],
    [3, 2],
    [2, 6],
  ]) {
    const other = Buffer.from(octets);
    other[at ?? 0] = 9;
    assert.ok(!same(octets, other, turn ?? 0), `${at}`);
  }
  const long = 'x'.repeat(100);
  assert.ok(same(long, 'x'.repeat(100), 7) && !same(long, `${'x'.repeat(99)}y`, 7));
  assert.ok(!same(long, `${'x'.repeat(7)}y${'x'.repeat(92)}`, 107));
  assert.ok(!same('short', 'shorT', 0) && !same('short', null, 0) && !same(null, '', 0) && same(null, undefined, 0));
});

test('the service asks once for what it does not hold, and refuses as it was told', async () => {
  /** @type {string[]} */
  const asked = [];
  const service = new Service(
    AT_ONCE,
    async (call, parameters) => {
      asked.push(`${call} ${JSON.stringify(parameters)}`);
      return JSON.stringify(parameters).includes('-1') ? { fault: 'n is -1' } : { value: [1] };
    },
    (_, plain) => ({ held: plain }),
  );
  const both = [service.answer('GetPersons', { n: 1 }), service.answer('GetPersons', { n: 1 })];
  assert.deepEqual(await Promise.all(both), [{ held: [1] }, { held: [1] }]);
  await assert.rejects(service.answer('GetPersons', { n: -1 }), { kind: 'fault', message: 'n is -1' });
  assert.deepEqual(asked, ['GetPersons {"n":1}', 'GetPersons {"n":-1}']);
  assert.equal(await service.answer('Sum', { a: 2 ** 31 - 1, b: 1 }), -(2 ** 31));
  assert.equal(await service.answer('SendIntArray', { value: [1] }), null);
  assert.deepEqual(service.counted().calls, { GetPersons: 3, Sum: 1, SendIntArray: 1 });
  assert.deepEqual(service.counted().calls, {});
  for (let n = 2; n < 300; n++) await service.answer('GetPersons', { n });
  assert.equal(service.held.size, 256);
});

// JSON-RPC as native has it: the golden messages, and what is refused.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { failureOf } from '../json/failures.mjs';
import { answered, contentOf, refused, requestOf, requested, types } from '../json/message.mjs';

const GOLDEN = new URL('../../../contract/golden/messages/json/', import.meta.url);
/** @param {string} name */
const golden = (name) => readFileSync(new URL(name, GOLDEN), 'utf8');
const NAMES = readdirSync(GOLDEN).flatMap((file) => (file.endsWith('.request') ? [file.slice(0, -8)] : []));

for (const name of NAMES) {
  test(`golden message ${name}`, () => {
    const { method: call, params } = JSON.parse(golden(`${name}.request`));
    const text = golden(`${name}.request`).replace(/\b0\.0\b/g, '0');
    assert.equal(requestOf({ call, arguments: types.arguments(call, params), answer: null }), text);
    const request = requested(text);
    assert.deepEqual(request, { call, parameters: params, id: 1 });
    // In JavaScript, a double without a fraction is written as an integer.
    const answer = golden(`${name}.answer`).replace(/\b0\.0\b/g, '0');
    const content = contentOf(call, JSON.parse(answer));
    if (name === 'fault') assert.equal(refused(content.message, 1), answer);
    else assert.equal(answered(call, content, 1), answer);
  });
}

test('a wrong request is refused under its own code', () => {
  /** @type {[string, number][]} */
  const wrong = [
    ['{', -32700],
    ['[]', -32600],
    ['7', -32600],
    ['{"method":"Hello"}', -32600],
    ['{"jsonrpc":"2.0","method":7}', -32600],
    ['{"jsonrpc":"2.0","method":"Fly"}', -32601],
    ['{"jsonrpc":"2.0","method":"Sum","params":{"a":1}}', -32602],
    ['{"jsonrpc":"2.0","method":"Sum","params":{"a":1,"b":2147483648}}', -32602],
    ['{"jsonrpc":"2.0","method":"SendLong","params":{"value":9007199254740993}}', -32602],
    ['{"jsonrpc":"2.0","method":"Sum","params":null}', -32602],
  ];
  for (const [text, code] of wrong) assert.equal(JSON.parse(String(requested(text))).error.code, code, text);
  const byPlace = requested('{"jsonrpc":"2.0","method":"Sum","params":[1,2],"id":"x"}');
  assert.deepEqual(byPlace, { call: 'Sum', parameters: { a: 1, b: 2 }, id: 'x' });
});

test('what JSON or JavaScript cannot hold cannot be carried', () => {
  for (const [call, value] of [
    ['SendLong', '9007199254740993'],
    ['SendLongArray', ['1', '-9223372036854775808']],
    ['SendDouble', 'NaN'],
    ['SendFloatArray', [1.5, '-0']],
  ]) {
    assert.throws(() => types.arguments(String(call), { value }), { kind: 'cannot-carry' }, String(call));
  }
  assert.deepEqual(types.arguments('SendLong', { value: '9007199254740991' }), { value: 2 ** 53 - 1 });
  assert.deepEqual(types.arguments('SendByteArray', { value: 'AAH+' }), { value: Buffer.from([0, 1, 254]) });
});

test('text that is not valid Unicode comes back as its units', () => {
  const held = types.arguments('EchoString', { value: { utf16: [97, 0xd800, 98] } });
  assert.equal(held.value, 'a\ud800b');
  assert.deepEqual(types.plain('EchoStructure', [{ text: held.value, other: '😀' }]), [
    { text: { utf16: [97, 0xd800, 98] }, other: '😀' },
  ]);
});

test('what a client meets is told in the words of the contract', () => {
  /** @type {[object, string][]} */
  const met = [
    [{ code: 'ECONNRESET' }, 'closed'],
    [{ cause: { code: 'ECONNREFUSED' } }, 'refused'],
    [{ name: 'TimeoutError' }, 'timeout'],
    [{ code: 'HPE_INVALID_CONSTANT', message: 'Expected HTTP/' }, 'protocol'],
    [new SyntaxError('Unexpected token'), 'protocol'],
    [{ code: 'EMFILE' }, 'out-of-resources'],
    [new TypeError('x is not a function'), 'internal'],
  ];
  for (const [error, kind] of met) assert.equal(failureOf(error).kind, kind);
});

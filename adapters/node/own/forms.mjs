// What the generated code of a service of the user's own is made of: values exchanged, and an answer checked in constant time.

import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../kit/failure.mjs';

/** Texts up to this length are compared completely. */
const WHOLE = 64;

/** @typedef {(right: any, answer: any, turn: number) => boolean} Same whether an answer is right, as far as a turn looks */

/** @template Value @param {Value} value @returns {Value} */
export const asIs = (value) => value;

/** @param {string} text */
export const octets = (text) => Buffer.from(text, 'base64');

/** @param {Buffer} bytes */
export const base64 = (bytes) => bytes.toString('base64');

/** An integer as JSON.parse gives it, which is a double. @param {number} plain */
export function whole(plain) {
  if (Number.isSafeInteger(plain)) return finite(plain);
  throw new Failure('cannot-carry', `JSON.parse reads ${plain} as a double, which is exact up to 2^53 only`);
}

/** @param {number} plain */
export const real = (plain) => finite(plain);

/** @param {number} number */
function finite(number) {
  if (!Object.is(number, -0)) return number;
  throw new Failure('cannot-carry', 'JSON.stringify writes -0 as 0');
}

/** A map with each value exchanged. @param {Record<string, any>} from @param {(value: any) => any} to */
export const members = (from, to) => Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]));

/** @type {Same} */
export const equal = (right, answer) => right === answer;

/** Of any value of JSON. It has no type, so it is compared as a whole. @type {Same} */
export const whatever = (right, answer) => isDeepStrictEqual(right ?? null, answer ?? null);

/** @type {Same} */
export function text(right, answer, turn) {
  if (right.length <= WHOLE || typeof answer !== 'string') return right === answer;
  const { length } = right;
  if (answer.length !== length) return false;
  const [last, at] = [length - 1, turn % length];
  return right.charCodeAt(last) === answer.charCodeAt(last) && right.charCodeAt(at) === answer.charCodeAt(at);
}

/** @type {Same} */
export function bytes(right, answer, turn) {
  const { length } = right;
  if (!(answer instanceof Uint8Array) || answer.length !== length) return false;
  const at = turn % length;
  return (
    length === 0 || (right[0] === answer[0] && right[at] === answer[at] && right[length - 1] === answer[length - 1])
  );
}

/** Of a value that may be absent, or null. @param {Same} same @param {any} right @param {any} answer @param {number} turn */
export function optional(same, right, answer, turn) {
  const absent = (answer ?? null) === null;
  return (right ?? null) === null ? absent : !absent && same(right, answer, turn);
}

/** @param {Same} same @param {any[] | undefined} right absent like an empty one @param {any} answer @param {number} turn */
export function list(same, right = [], answer = [], turn) {
  const { length } = right;
  if (!Array.isArray(answer) || answer.length !== length) return false;
  const [last, at] = [length - 1, turn % length];
  return length === 0 || (same(right[last], answer[last], turn) && same(right[at], answer[at], turn));
}

/** All of its values: to count its keys takes as long. @param {Same} same @param {any} right @param {any} answer @param {number} turn */
export function map(same, right = {}, answer = {}, turn) {
  if (typeof answer !== 'object' || answer === null) return false;
  const keys = Object.keys(right);
  return (
    Object.keys(answer).length === keys.length &&
    keys.every((key) => Object.hasOwn(answer, key) && optional(same, right[key], answer[key], turn))
  );
}

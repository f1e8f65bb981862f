// The check of an answer in the types of the library: in constant time, whatever its length.

/** Texts up to this length are compared completely. */
const WHOLE = 64;

/**
 * Whether an answer is correct, as far as a check in constant time can tell. For long values, it compares the length, the last part, and
 * a part that depends on `turn`.
 *
 * @param {any} right @param {any} answer @param {number} turn the number of the client's call, from 0 @returns {boolean}
 */
export function same(right, answer, turn) {
  if (typeof right !== 'object' || right === null) {
    if (typeof right !== 'string' || typeof answer !== 'string' || right.length <= WHOLE) {
      return right === (answer ?? null);
    }
    return (
      answer.length === right.length &&
      sameAt(right, answer, right.length - 1) &&
      sameAt(right, answer, turn % right.length)
    );
  }
  if (typeof answer !== 'object' || answer === null) return false;
  if (!Array.isArray(right) && !(right instanceof Uint8Array)) return sameMembers(right, answer, turn);
  const { length } = right;
  if (answer.length !== length || Array.isArray(right) !== Array.isArray(answer)) return false;
  if (length === 0) return true;
  const at = turn % length;
  const last = length - 1;
  // The first element is compared too, for lists and for bytes.
  return same(right[0], answer[0], turn) && same(right[at], answer[at], turn) && same(right[last], answer[last], turn);
}

/** @param {string} right @param {string} answer @param {number} at */
const sameAt = (right, answer, at) => right.charCodeAt(at) === answer.charCodeAt(at);

/** All members of a record; one that is null is absent. @param {any} right @param {any} answer @param {number} turn */
function sameMembers(right, answer, turn) {
  let missing = 0;
  for (const name in right) {
    if (!same(right[name], answer[name], turn)) return false;
    if (right[name] !== null) missing += 1;
  }
  for (const name in answer) if (answer[name] !== null && answer[name] !== undefined) missing -= 1;
  return missing === 0;
}

// JSON with integers beyond 2^53, which JSON.parse would round: as BigInt. A text of digits between two characters U+0000 stands for one
// on the way, so such a text itself is not carried.

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /^-?\d{16,}$/;
const MARKED = /^\0(-?\d+)\0$/;
const WRITTEN = /"\\u0000(-?\d+)\\u0000"/g;

/** @param {string} text @returns {any} */
export function parse(text) {
  const marked = text.replace(TOKEN, (token) => (LONG.test(token) ? `"\\u0000${token}\\u0000"` : token));
  return JSON.parse(marked, (_, value) => {
    const digits = typeof value === 'string' && MARKED.exec(value)?.[1];
    return digits ? BigInt(digits) : value;
  });
}

/** @param {any} value @returns {string} */
export function stringify(value) {
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `\0${part}\0` : part));
  return text.includes('\\u0000') ? text.replace(WRITTEN, '$1') : text;
}

// The search response as JSON.

/** @typedef {import('../items.mjs').Members} Members */

/**
 * @param {Members} response
 * @returns {Buffer}
 */
export function written(response) {
  return Buffer.from(JSON.stringify(response));
}

/**
 * @param {string} text
 * @returns {Members}
 * @throws {Error} if the text is not JSON.
 */
export function read(text) {
  return JSON.parse(text);
}

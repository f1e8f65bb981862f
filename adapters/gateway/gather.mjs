// How the pieces of a body become one buffer. Both are the article's: its code, and what it says would be better.

/**
 * @typedef {object} Gathering
 * @property {(piece: Buffer) => void} take
 * @property {() => Buffer} whole
 */

/** Keeps the pieces, then goes over them twice: to add up their lengths, and to copy them. */
export class Twice {
  constructor() {
    /** @type {Buffer[]} */
    this.pieces = [];
  }

  /** @param {Buffer} piece */
  take(piece) {
    this.pieces.push(piece);
  }

  whole() {
    let length = 0;
    for (const piece of this.pieces) length += piece.length;
    const whole = Buffer.alloc(length);
    let at = 0;
    for (const piece of this.pieces) at += piece.copy(whole, at);
    return whole;
  }
}

/** Knows the length from the start, and copies each piece as it comes. */
export class Once {
  /** @param {number} length */
  constructor(length) {
    this.buffer = Buffer.allocUnsafe(length);
    this.filled = 0;
  }

  /** @param {Buffer} piece */
  take(piece) {
    this.filled += piece.copy(this.buffer, this.filled);
  }

  whole() {
    return this.buffer.subarray(0, this.filled);
  }
}

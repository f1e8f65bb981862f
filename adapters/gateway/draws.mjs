// The random draws that contract/SERVICE.md makes the search response of.

const ALL = (1n << 64n) - 1n;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

/** SplitMix64, and what is drawn from it. */
export class Draws {
  /** @param {bigint} seed */
  constructor(seed) {
    this.state = seed;
  }

  /**
   * A whole number from 0 to just below `bound`.
   * @param {number} bound
   */
  below(bound) {
    this.state = (this.state + 0x9e3779b97f4a7c15n) & ALL;
    let z = this.state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & ALL;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & ALL;
    z ^= z >> 31n;
    return Number(((z >> 32n) * BigInt(bound)) >> 32n);
  }

  flag() {
    return this.below(2) === 1;
  }

  /** @param {number} count */
  letters(count) {
    return this.#text(count, (at) => (at % 7 === 6 ? ' ' : this.#letter()));
  }

  /** @param {number} count */
  unspaced(count) {
    return this.#text(count, () => this.#letter());
  }

  /** @param {number} count */
  digits(count) {
    return this.#text(count, () => String(this.below(10)));
  }

  /** A price with two decimals. A format that sends it as a float rounds it. */
  price() {
    return this.below(100_000) / 100;
  }

  #letter() {
    return ALPHABET.charAt(this.below(26));
  }

  /** @param {number} count @param {(at: number) => string} one */
  #text(count, one) {
    return Array.from({ length: count }, (_, at) => one(at)).join('');
  }
}

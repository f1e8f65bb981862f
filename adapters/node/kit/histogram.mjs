// The log-linear histogram of the contract: 128 buckets an octave, fixed memory.

/** Values from here on count in the last bucket. */
const END = 2 ** 42;

/**
 * The bucket of an integer. From 2^31 on, it is found with the upper part, which is 12 bits and so 12 octaves lower. @param {number}
 * value
 */
export function bucketOf(value) {
  return value < 2 ** 31 ? ofWord(value) : ofWord(Math.floor(Math.min(value, END - 1) / 4096)) + 12 * 128;
}

/** @param {number} value */
function ofWord(value) {
  if (value < 128) return value;
  const octave = 31 - Math.clz32(value);
  return 128 * (octave - 6) + (value >>> (octave - 7)) - 128;
}

/** The least value of a bucket. @param {number} bucket */
export function lowerBound(bucket) {
  return bucket < 128 ? bucket : (128 + (bucket % 128)) * 2 ** (Math.floor(bucket / 128) - 1);
}

/** Times in nanoseconds: exact count, sum, least and greatest; buckets for the rest. */
export class Histogram {
  buckets = new Float64Array(bucketOf(END) + 1);
  count = 0;
  sum = 0;
  least = Infinity;
  greatest = 0;

  /** @param {number} value */
  record(value) {
    const bucket = bucketOf(value);
    this.buckets[bucket] = /** @type {number} */ (this.buckets[bucket]) + 1;
    this.count += 1;
    this.sum += value;
    if (value < this.least) this.least = value;
    if (value > this.greatest) this.greatest = value;
  }

  /** The lower bound of the bucket that contains the median; null if the histogram is empty. */
  median() {
    let left = Math.ceil(this.count / 2);
    return this.count === 0 ? null : lowerBound(this.buckets.findIndex((count) => (left -= count) <= 0));
  }

  /** HISTOGRAM of the contract. */
  toJSON() {
    const { count, sum, least, greatest } = this;
    const buckets = [...this.buckets.entries()].filter(([, its]) => its > 0);
    return { count, sum_ns: `${sum}`, min_ns: count === 0 ? 0 : least, max_ns: greatest, buckets };
  }
}

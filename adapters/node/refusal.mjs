/** What the contract answers with `error`: a kind of its list, and one sentence that a person can act on. */
export class Refusal extends Error {
  /**
   * @param {'bad-request' | 'unsupported' | 'internal'} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

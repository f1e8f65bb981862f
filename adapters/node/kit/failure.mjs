/** What goes wrong in a call or a request: a kind of the contract, and one sentence that a person can act on. */
export class Failure extends Error {
  /** @param {string} kind @param {string} message */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** A limit, per client or in all, is reached. The new request gets 503; those already admitted go on. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

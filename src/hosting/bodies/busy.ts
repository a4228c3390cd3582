/** A limit is reached that holds for one client, or for all: the answer is 503, and those inside it go on. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

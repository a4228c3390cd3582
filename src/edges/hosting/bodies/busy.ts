/** The error when a limit, per client or in all, is reached. The new request gets 503; requests under way go on. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

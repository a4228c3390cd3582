/** The error when a limit of a client, or of all clients, is reached. The new request gets 503, and requests under way go on. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

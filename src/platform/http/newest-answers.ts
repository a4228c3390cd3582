/**
 * The newest answer on each connection of a server. Answers go out in order, so none is under way once the newest is
 * closed.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Begins = (socket: Duplex, response: ServerResponse) => void;

export class NewestAnswers {
  readonly #newest = new WeakMap<Duplex, ServerResponse>();

  /** For a server that has all its listeners. `begins` is called while `of` still gives the answer before. */
  constructor(server: Server, begins: Begins = () => {}) {
    const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
      begins(socket, response);
      this.#newest.set(socket, response);
    };
    server.prependListener('request', track);
    for (const event of ['checkContinue', 'checkExpectation'] as const) {
      // Listening for these tells Node that they are not its business any more.
      if (server.listenerCount(event) > 0) server.prependListener(event, track);
    }
  }

  of(socket: Duplex): ServerResponse | undefined {
    return this.#newest.get(socket);
  }

  /** Whether an answer is under way on the connection. */
  isAnswering(socket: Duplex): boolean {
    return this.#newest.get(socket)?.closed === false;
  }
}

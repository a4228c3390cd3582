/**
 * The newest answer on each connection of a server. Answers go out in order, so once the newest is closed, none is
 * under way.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Begins = (socket: Duplex, response: ServerResponse) => void;

export class NewestAnswers {
  readonly #newest = new WeakMap<Duplex, ServerResponse>();

  /** For a server that already has all its listeners. During `begins`, `of` still returns the previous answer. */
  constructor(server: Server, begins: Begins = () => {}) {
    const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
      begins(socket, response);
      this.#newest.set(socket, response);
    };
    server.prependListener('request', track);
    for (const event of ['checkContinue', 'checkExpectation'] as const) {
      // Once these have a listener, Node leaves them to us. So we listen only if the server does.
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

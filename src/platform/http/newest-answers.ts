/**
 * Tracks the newest answer on each connection of a server. Answers go out in order, so if the newest answer is closed, no answer is under
 * way. Tracking costs time on each request, so a server has only one tracker.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Begins = (socket: Duplex, response: ServerResponse) => void;

export class NewestAnswers {
  static readonly #ofServers = new WeakMap<Server, NewestAnswers>();
  readonly #newest = new WeakMap<Duplex, ServerResponse>();
  #begins: Begins = () => {};

  /** Returns the server's tracker. The server must have all its listeners already. */
  static of(server: Server): NewestAnswers {
    const answers = NewestAnswers.#ofServers.get(server) ?? new NewestAnswers(server);
    NewestAnswers.#ofServers.set(server, answers);
    return answers;
  }

  private constructor(server: Server) {
    const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#begins(socket, response);
      this.#newest.set(socket, response);
    };
    server.prependListener('request', track);
    for (const event of ['checkContinue', 'checkExpectation'] as const) {
      // A listener for these events replaces Node's own handling. So we listen for an event only if the server has a listener for it.
      if (server.listenerCount(event) > 0) server.prependListener(event, track);
    }
  }

  /** From now on, `begins` is called at the beginning of each answer, before `on` returns the answer. Replaces a former `begins`. */
  whenOneBegins(begins: Begins): void {
    this.#begins = begins;
  }

  /** Returns the newest answer on a connection; undefined before its first answer. */
  on(socket: Duplex): ServerResponse | undefined {
    return this.#newest.get(socket);
  }

  /** Returns whether an answer is under way on a connection. */
  isAnswering(socket: Duplex): boolean {
    return this.#newest.get(socket)?.closed === false;
  }
}

/**
 * Tracks the newest answer on each connection of a server. Answers go out in order, so once the newest is closed, none is under way.
 * Tracking costs time on each request, so a server has one tracker that all users share.
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

  /** Calls `begins` at the beginning of each answer, before `on` returns this answer. Replaces a former `begins`. */
  whenOneBegins(begins: Begins): void {
    this.#begins = begins;
  }

  on(socket: Duplex): ServerResponse | undefined {
    return this.#newest.get(socket);
  }

  /** Whether an answer is under way on the connection. */
  isAnswering(socket: Duplex): boolean {
    return this.#newest.get(socket)?.closed === false;
  }
}

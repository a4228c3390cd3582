/**
 * Handles the requests of a connection one at a time. Node emits all requests in a chunk at once, up to 2,400 of 27 bytes, although only
 * the first can be answered yet (RFC 9112, section 9.3.2). Work on all of them holds files, memory and connections for a client that may
 * never read.
 *
 *   answering  --closed-->             the next waiting request is handled
 *   waiting    --connection is full--> the last waiting request gets `Connection: close`, and requests after it are dropped;
 *                                      a pipelining client sends dropped requests again elsewhere (RFC 9112, section 9.3.2)
 *   waiting    --process is full-->    the connection is cut
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type HandleRequest<Request, Response> = (request: Request, response: Response) => void;

export interface WaitingLimits {
  /** The most waiting requests of a connection. Clients that pipeline for speed keep fewer requests under way. */
  readonly perConnection: number;
  /** The most waiting requests of all connections together. Each waiting request takes about 3 kB. */
  readonly inAll: number;
}

const LIMITS: WaitingLimits = { perConnection: 100, inAll: 10_000 };

interface Line<Request, Response> {
  answering: Response;
  /** Whether we listen for the end of `answering`. A listener has a cost, so we add it only while a request waits. */
  isWatched: boolean;
  readonly waiting: { readonly request: Request; readonly response: Response }[];
}

/** Returns a listener that calls `handle` for a request after all earlier answers on its connection have been sent. */
export function inOrder<Request extends IncomingMessage, Response extends ServerResponse>(
  handle: HandleRequest<Request, Response>,
  { perConnection, inAll }: WaitingLimits = LIMITS,
): HandleRequest<Request, Response> {
  const lines = new WeakMap<Socket, Line<Request, Response>>();
  let waitingInAll = 0;

  const watch = (socket: Socket, line: Line<Request, Response>) => {
    if (line.isWatched) return;
    line.isWatched = true;
    line.answering.once('close', () => advance(socket, line));
  };

  const advance = (socket: Socket, line: Line<Request, Response>) => {
    line.isWatched = false;
    if (socket.destroyed) {
      waitingInAll -= line.waiting.length;
      lines.delete(socket);
      return;
    }
    const { request, response } = line.waiting.shift()!;
    waitingInAll--;
    line.answering = response;
    if (line.waiting.length > 0) watch(socket, line);
    handle(request, response);
  };

  const wait = (line: Line<Request, Response>, request: Request, response: Response) => {
    const { socket } = request;
    line.waiting.push({ request, response });
    waitingInAll++;
    watch(socket, line);
    if (waitingInAll > inAll) socket.destroy();
    else if (line.waiting.length === perConnection) {
      response.setHeader('Connection', 'close');
      if (!dropWhatFollows(socket)) socket.destroy();
    }
  };

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined) lines.set(socket, { answering: response, isWatched: false, waiting: [] });
    else if (!line.isWatched && line.answering.closed) line.answering = response;
    else return wait(line, request, response);
    handle(request, response);
  };
}

/**
 * Drops the requests that the parser still finds on a connection. Node documents no way to end a parser in the middle of a chunk. When the
 * connection is cut, each request that the parser has kept costs 20 µs more, for an error with a stack. Returns false if Node's parser has
 * changed.
 */
function dropWhatFollows(socket: Socket): boolean {
  const { parser } = socket as Socket & { parser?: { onIncoming?: unknown } };
  if (typeof parser?.onIncoming !== 'function') return false;
  // Node's own function returns 0 for a request without special treatment.
  parser.onIncoming = () => 0;
  return true;
}

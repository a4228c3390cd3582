/**
 * Handles the requests of a connection one after the other. Node emits every request that a chunk of bytes holds at
 * once, up to 2,400 of 27 bytes, though only the first can be answered yet (RFC 9112, section 9.3.2). Work that began
 * for each of them would hold files, memory and connections for a client that may never read.
 *
 *   answering  --closed-->        the next that waits is handled
 *   waiting    --as many as may-->  the last that waits gets `Connection: close`; those behind it are dropped, and a
 *                                 client that pipelines sends them again elsewhere (RFC 9112, section 9.3.2)
 *   waiting    --too many in all--> the connection is cut
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type HandleRequest<Request, Response> = (request: Request, response: Response) => void;

export interface WaitingLimits {
  /** On one connection: more than any client that pipelines for speed keeps under way. */
  readonly perConnection: number;
  /** Over all connections of the process. Each takes some 3 kB. */
  readonly inAll: number;
}

const LIMITS: WaitingLimits = { perConnection: 100, inAll: 10_000 };

interface Line<Request, Response> {
  answering: Response;
  /** Whether the end of `answering` is waited for: only then is a listener worth its price. */
  isWatched: boolean;
  readonly waiting: { readonly request: Request; readonly response: Response }[];
}

/** Calls `handle` for a request once the answers to all before it on its connection have been sent. */
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
 * Makes nothing of the requests that the parser still finds on a connection. There is no documented way to end a parser
 * in the middle of a chunk, and a request that Node keeps for a connection costs 20 µs more when that is cut, for an
 * error with a stack. False where Node's parser has changed.
 */
function dropWhatFollows(socket: Socket): boolean {
  const { parser } = socket as Socket & { parser?: { onIncoming?: unknown } };
  if (typeof parser?.onIncoming !== 'function') return false;
  // What Node's own function returns for a request without special treatment.
  parser.onIncoming = () => 0;
  return true;
}

/**
 * Handles the requests of a connection one after the other. Node emits every request that a chunk of bytes holds at
 * once, up to 2,400 of 27 bytes, though only the first can be answered yet (RFC 9112, section 9.3.2). Work that began
 * for each of them would hold files, memory and connections for a client that may never read.
 *
 *   answering  --closed-->         the next that waits is handled
 *   waiting    --one too many-->   the last that waits gets `Connection: close`; those behind it are never handled,
 *                                  and a client that pipelines sends them again elsewhere (RFC 9112, section 9.3.2)
 *   waiting    --far too many-->   the connection is cut
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handle<Request, Response> = (request: Request, response: Response) => void;

export interface WaitingLimits {
  /** On one connection: more than any client that pipelines for speed keeps under way. */
  readonly perConnection: number;
  /** Parsed requests that nobody handles, of one connection: an honest client has none. */
  readonly unhandledPerConnection: number;
  /** Both kinds, over all connections of the process. Each takes some 3 kB. */
  readonly inAll: number;
}

const LIMITS: WaitingLimits = { perConnection: 100, unhandledPerConnection: 1000, inAll: 10_000 };

interface Line<Request, Response> {
  answering: Response;
  /** Whether the end of `answering` is waited for: only then is a listener worth its price. */
  isWatched: boolean;
  readonly waiting: { readonly request: Request; readonly response: Response }[];
  unhandled: number;
}

/** Calls `handle` for a request once the answers to all before it on its connection have been sent. */
export function inOrder<Request extends IncomingMessage, Response extends ServerResponse>(
  handle: Handle<Request, Response>,
  { perConnection, unhandledPerConnection, inAll }: WaitingLimits = LIMITS,
): Handle<Request, Response> {
  const lines = new WeakMap<Socket, Line<Request, Response>>();
  let waitingInAll = 0;

  const watch = (socket: Socket, line: Line<Request, Response>) => {
    if (line.isWatched) return;
    line.isWatched = true;
    line.answering.once('close', () => advance(socket, line));
  };

  const advance = (socket: Socket, line: Line<Request, Response>) => {
    line.isWatched = false;
    const next = socket.destroyed ? undefined : line.waiting.shift();
    if (next === undefined) {
      waitingInAll -= line.waiting.length + line.unhandled;
      lines.delete(socket);
      return;
    }
    waitingInAll--;
    line.answering = next.response;
    if (line.waiting.length + line.unhandled > 0) watch(socket, line);
    handle(next.request, next.response);
  };

  const wait = (line: Line<Request, Response>, request: Request, response: Response) => {
    waitingInAll++;
    const { waiting } = line;
    if (line.unhandled === 0 && waiting.length < perConnection) waiting.push({ request, response });
    else if (line.unhandled++ === 0) waiting.at(-1)!.response.setHeader('Connection', 'close');
    watch(request.socket, line);
    if (line.unhandled > unhandledPerConnection || waitingInAll > inAll) request.socket.destroy();
  };

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined)
      lines.set(socket, { answering: response, isWatched: false, waiting: [], unhandled: 0 });
    else if (!line.isWatched && line.answering.closed) line.answering = response;
    else return wait(line, request, response);
    handle(request, response);
  };
}

/**
 * A proxy on loopback that stands before Postgres or an HTTP server (S3, the API) and breaks what passes at the
 * moment that a test names: at the n-th request or response, counted over all its connections.
 *
 * The four moments differ in what the two ends know:
 *
 * | at | has left the proxy | so |
 * |---|---|---|
 * | request | nothing of the request | it was never made |
 * | request end | all of it but its last byte | the server has begun on it and never does it |
 * | response | the whole request | it was done, and nobody hears of it |
 * | response end | all of the answer but its last byte | it was done, and half the news arrives |
 *
 * Of Postgres a request is a round trip: a Query, a Parse or Bind up to its Sync, the start of a
 * connection.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readHttpRequests, readHttpResponses } from './http-messages.ts';
import type { Message, MessageReader, Piece, Unanswered } from './message-pieces.ts';
import { readPostgresRequests, readPostgresResponses } from './postgres-messages.ts';

export interface FaultRule {
  readonly at: 'request' | 'request end' | 'response' | 'response end';
  /** From 1, counted from when the rule was set; of those that match. */
  readonly n: number;
  readonly matching?: (message: Message) => boolean;
  readonly action: FaultAction;
}

/**
 * `cut` closes the connection on both sides, `reset` does so with a RST to the client. `hang` keeps it open and
 * moves nothing on it any more. `call` is waited for, and then the connection is cut, for it mostly kills one of
 * its ends; with `thenPass` the message goes on its way instead. `status`: for HTTP, at a request, which is
 * answered so and not passed on.
 */
export type FaultAction =
  | 'cut'
  | 'reset'
  | 'hang'
  | { readonly delayMs: number }
  | { readonly status: number }
  | { readonly call: () => void | Promise<void>; readonly thenPass?: boolean };

/**
 * For all traffic. `refuse` cuts every connection, also those to come, `hang` moves nothing until it is another
 * mode, `bytesPerSecond` is per connection and direction, `status` answers every HTTP request so.
 */
type ProxyMode =
  | 'pass'
  | 'refuse'
  | 'hang'
  | { readonly bytesPerSecond: number }
  | { readonly status: number };

export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** Strikes once: then it is undefined again. */
  rule: FaultRule | undefined;
  /** What the last rule struck; undefined until it does. */
  readonly struck: Message | undefined;
  mode: ProxyMode;
  /** How many have begun to come in since `resetCounts`. */
  readonly requests: number;
  readonly responses: number;
  resetCounts(): void;
  /** Cuts all connections, also those that hang. */
  cutAll(): void;
}

export interface FaultProxyTarget {
  readonly port: number;
  readonly host?: string;
  readonly protocol: 'http' | 'postgres';
  /** Where the proxy listens; by default on a free port. */
  readonly listenOn?: number;
}

export async function startFaultProxy(target: FaultProxyTarget): Promise<FaultProxy> {
  const proxy = new RunningProxy(target);
  await proxy.listen(target.listenOn ?? 0);
  return proxy;
}

type Direction = 'request' | 'response';

/** Slices of a throttled piece: small against any rate that a test may want to see. */
const SLICE_BYTES = 4096;

class RunningProxy implements FaultProxy {
  readonly #target: FaultProxyTarget;
  readonly #server = createServer((client) => void this.#serve(client));
  readonly #connections = new Set<Connection>();
  #rule: FaultRule | undefined;
  #matched = 0;
  #struck: Message | undefined;
  #mode: ProxyMode = 'pass';
  #modeChanged = Promise.withResolvers<void>();
  readonly #counts = { request: 0, response: 0 };

  constructor(target: FaultProxyTarget) {
    this.#target = target;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get rule(): FaultRule | undefined {
    return this.#rule;
  }

  set rule(rule: FaultRule | undefined) {
    this.#rule = rule;
    this.#matched = 0;
    this.#struck = undefined;
  }

  get struck(): Message | undefined {
    return this.#struck;
  }

  get mode(): ProxyMode {
    return this.#mode;
  }

  set mode(mode: ProxyMode) {
    this.#mode = mode;
    this.#modeChanged.resolve();
    this.#modeChanged = Promise.withResolvers();
    if (mode === 'refuse') this.cutAll();
  }

  get requests(): number {
    return this.#counts.request;
  }

  get responses(): number {
    return this.#counts.response;
  }

  resetCounts(): void {
    this.#counts.request = 0;
    this.#counts.response = 0;
  }

  cutAll(): void {
    for (const connection of this.#connections) connection.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.cutAll();
    await closed.promise;
  }

  async #serve(client: Socket): Promise<void> {
    if (this.#mode === 'refuse') {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const { host = '127.0.0.1', port, protocol } = this.#target;
    const connection = new Connection(client, connect({ host, port, noDelay: true }));
    this.#connections.add(connection);
    const { server, unanswered } = connection;
    const isHttp = protocol === 'http';
    const requests = isHttp ? readHttpRequests(unanswered) : readPostgresRequests(unanswered);
    const responses = isHttp ? readHttpResponses(unanswered) : readPostgresResponses(unanswered);
    await Promise.all([
      this.#pump(connection, client, server, requests, 'request'),
      this.#pump(connection, server, client, responses, 'response'),
    ]);
    this.#connections.delete(connection);
  }

  /** Moves everything from one end to the other, and then the end itself. */
  async #pump(
    connection: Connection,
    from: Socket,
    to: Socket,
    reader: MessageReader,
    direction: Direction,
  ): Promise<void> {
    let message: Message = {};
    try {
      for await (const chunk of from) {
        for (const piece of reader.read(chunk)) {
          message = piece.begins ?? message;
          await this.#judge(connection, to, direction, message, piece);
          connection.signal.throwIfAborted();
        }
      }
      to.end();
    } catch {
      // A reset by either end, as tests want it, or what a cut makes of the reads and waits under way.
      connection.cut();
    }
  }

  /** Counts a piece, lets the rule or the mode have it, and passes on what they leave. */
  async #judge(
    connection: Connection,
    to: Socket,
    direction: Direction,
    message: Message,
    piece: Piece,
  ): Promise<void> {
    if (piece.begins !== undefined) {
      this.#counts[direction] += 1;
      const action = this.#strike(direction, message);
      if (action !== undefined) await this.#act(connection, action);
    }
    while (this.#mode === 'hang') await connection.unlessCut(this.#modeChanged.promise);
    if (direction === 'request') {
      const status = connection.refusal ?? (isRefusing(this.#mode) ? this.#mode.status : undefined);
      if (status !== undefined) {
        if (piece.ends) connection.refuse(status);
        return;
      }
    }
    const action = piece.ends ? this.#strike(`${direction} end`, message) : undefined;
    if (action === undefined) return this.#pass(connection, to, piece.bytes);
    await this.#pass(connection, to, piece.bytes.subarray(0, -1));
    await this.#act(connection, action);
    await this.#pass(connection, to, piece.bytes.subarray(-1));
  }

  /** What the rule does to this message, if it is the one. */
  #strike(at: FaultRule['at'], message: Message): FaultAction | undefined {
    const rule = this.#rule;
    if (rule?.at !== at || rule.matching?.(message) === false) return undefined;
    this.#matched += 1;
    if (this.#matched !== rule.n) return undefined;
    this.#rule = undefined;
    this.#struck = message;
    return rule.action;
  }

  /** Returns when the message may go on its way; throws when that is never. */
  async #act(connection: Connection, action: FaultAction): Promise<void> {
    if (action === 'hang') await connection.unlessCut(new Promise<never>(() => {}));
    else if (action === 'cut') connection.cut();
    else if (action === 'reset') connection.reset();
    else if ('status' in action) connection.refusal = action.status;
    else if ('delayMs' in action) await connection.unlessCut(delay(action.delayMs));
    else {
      await action.call();
      if (!action.thenPass) connection.cut();
    }
    connection.signal.throwIfAborted();
  }

  async #pass(connection: Connection, to: Socket, bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const slow = typeof this.#mode === 'object' && 'bytesPerSecond' in this.#mode ? this.#mode : undefined;
      const slice = slow === undefined ? bytes.subarray(at) : bytes.subarray(at, at + SLICE_BYTES);
      if (slow) await connection.unlessCut(delay((slice.length / slow.bytesPerSecond) * 1000));
      await connection.write(to, slice);
      at += slice.length;
    }
  }
}

function isRefusing(mode: ProxyMode): mode is { readonly status: number } {
  return typeof mode === 'object' && 'status' in mode;
}

/** A client's connection and ours to the server. */
class Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly unanswered: Unanswered = [];
  /** The status that the request under way is answered with, instead of being passed on. */
  refusal: number | undefined;
  readonly #cut = new AbortController();

  constructor(client: Socket, server: Socket) {
    this.client = client;
    this.server = server;
    client.setNoDelay(true);
    for (const socket of [client, server]) socket.on('error', () => this.cut());
  }

  /** Aborted when the connection is cut. */
  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  cut(): void {
    this.#end(() => this.client.destroy());
  }

  reset(): void {
    this.#end(() => this.client.resetAndDestroy());
  }

  /** Waits; throws when the connection is cut meanwhile. */
  async unlessCut(waiting: Promise<void>): Promise<void> {
    const cut = Promise.withResolvers<never>();
    const onCut = () => cut.reject(this.signal.reason);
    this.signal.addEventListener('abort', onCut, { once: true });
    await Promise.race([waiting, cut.promise]).finally(() => this.signal.removeEventListener('abort', onCut));
  }

  async write(to: Socket, bytes: Buffer): Promise<void> {
    if (bytes.length > 0 && !to.write(bytes)) await once(to, 'drain', { signal: this.signal });
  }

  /** To be called when the request has come whole, for it is never read on. */
  refuse(status: number): void {
    this.refusal = undefined;
    this.unanswered.pop();
    this.client.write(`HTTP/1.1 ${status} Injected\r\nContent-Length: 0\r\n\r\n`);
  }

  #end(closeClient: () => void): void {
    if (this.signal.aborted) return;
    closeClient();
    this.server.destroy();
    this.#cut.abort();
  }
}

/**
 * A proxy on loopback in front of Postgres or an HTTP server (S3, the API). It breaks traffic at the moment that a test
 * chooses: at the n-th request or response, counted over all its connections.
 *
 * The four moments differ in what the two ends know:
 *
 * | at | has left the proxy | so |
 * |---|---|---|
 * | request | nothing of the request | the server never sees the request |
 * | request end | the request without its last byte | the server begins the request and never finishes it |
 * | response | the whole request | the request was done, and the client does not know |
 * | response end | the answer without its last byte | the request was done, and the client gets half the answer |
 *
 * In Postgres, a request is a round trip: a Query, a Parse or Bind up to its Sync, or the start of a connection.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readHttpRequests, readHttpResponses } from './http-messages.ts';
import type { Message, MessageReader, Piece, Unanswered } from './message-pieces.ts';
import { readPostgresRequests, readPostgresResponses } from './postgres-messages.ts';

export interface FaultRule {
  readonly at: 'request' | 'request end' | 'response' | 'response end';
  /** Starts at 1 and counts the matching messages since the rule was set. */
  readonly n: number;
  readonly matching?: (message: Message) => boolean;
  readonly action: FaultAction;
}

/**
 * `cut` closes the connection on both sides. `reset` also sends a RST to the client. `hang` keeps the connection open
 * and passes no more bytes. `call` is awaited, and then the connection is cut, because most calls kill one of its ends.
 * With `thenPass` the message passes instead. `status` answers an HTTP request in place of the server, which does not get
 * the request.
 */
export type FaultAction =
  | 'cut'
  | 'reset'
  | 'hang'
  | { readonly delayMs: number }
  | { readonly status: number }
  | { readonly call: () => void | Promise<void>; readonly thenPass?: boolean };

/**
 * The mode applies to all traffic. `refuse` cuts every connection, including new ones. `hang` passes no bytes until the mode
 * changes.
 * `bytesPerSecond` applies per connection and direction. `status` answers every HTTP request.
 */
type ProxyMode =
  | 'pass'
  | 'refuse'
  | 'hang'
  | { readonly bytesPerSecond: number }
  | { readonly status: number };

export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** The rule strikes once, and is undefined afterwards. */
  rule: FaultRule | undefined;
  /** The message that the last rule struck. */
  readonly struck: Message | undefined;
  mode: ProxyMode;
  /** Counts the requests that have begun since `resetCounts`. */
  readonly requests: number;
  readonly responses: number;
  resetCounts(): void;
  /** Cuts all connections, including those that hang. */
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

/** The size of a throttled slice. It is small compared with every rate that a test uses. */
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

  /** Passes all bytes from one end to the other, and then closes the other end. */
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
      // Either end reset the connection, or `cut` aborted the reads and waits under way.
      connection.cut();
    }
  }

  /** Counts a piece, applies the rule and the mode, and passes on the rest. */
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

  /** Returns the rule's action if the rule is for this message. */
  #strike(at: FaultRule['at'], message: Message): FaultAction | undefined {
    const rule = this.#rule;
    if (rule?.at !== at || rule.matching?.(message) === false) return undefined;
    this.#matched += 1;
    if (this.#matched !== rule.n) return undefined;
    this.#rule = undefined;
    this.#struck = message;
    return rule.action;
  }

  /** Returns when the message may pass. Throws when the connection is cut. */
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

/** A client's connection, and our own to the server. */
class Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly unanswered: Unanswered = [];
  /** The status that answers the current request in place of the server. */
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

  /** Waits, and throws when the connection is cut in the meantime. */
  async unlessCut(waiting: Promise<void>): Promise<void> {
    const cut = Promise.withResolvers<never>();
    const onCut = () => cut.reject(this.signal.reason);
    this.signal.addEventListener('abort', onCut, { once: true });
    await Promise.race([waiting, cut.promise]).finally(() => this.signal.removeEventListener('abort', onCut));
  }

  async write(to: Socket, bytes: Buffer): Promise<void> {
    if (bytes.length > 0 && !to.write(bytes)) await once(to, 'drain', { signal: this.signal });
  }

  /** Answers in place of the server. Call it after the whole request has come, because its rest is not read. */
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

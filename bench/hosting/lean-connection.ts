/**
 * A keep-alive connection that costs its process next to nothing. Node's own client takes longer for a request than the server does, so a
 * bench with it would measure the client. This client reads only answers like our server's: a Content-Length, no chunks, one answer at a
 * time.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';

export class LeanConnection implements Disposable {
  readonly #socket: Socket;
  #answer = Promise.withResolvers<number>();
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  /** Bytes of the body that are still missing. Undefined until the headers are complete. */
  #missing: number | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#answer.promise.catch(() => {});
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#answer.reject(error));
    socket.on('close', () => this.#answer.reject(new Error('the server closed the connection')));
  }

  /** Opens a connection. `localAddress`: any address of 127.0.0.0/8. */
  static async open(port: number, localAddress = '127.0.0.1'): Promise<LeanConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    await once(socket, 'connect');
    return new LeanConnection(socket);
  }

  /** Opens a connection over TLS. Resolves when the handshake is done. `onTicket` gets session tickets. */
  static async openSecurely(
    port: number,
    client: ConnectionOptions,
    onTicket: (ticket: Buffer) => void = () => {},
  ): Promise<LeanConnection> {
    const socket = connectSecurely({ port, host: '127.0.0.1', ...client });
    socket.on('session', onTicket);
    await once(socket, 'secureConnect');
    return new LeanConnection(socket.setNoDelay());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  /** Sends a request. Resolves to the status when the whole answer is there. */
  async exchange(request: string): Promise<number> {
    this.#socket.write(request);
    return this.#answer.promise;
  }

  /** Works like `exchange`, but throws unless the status is 200. */
  async get(request: string): Promise<void> {
    const status = await this.exchange(request);
    if (status !== 200) throw new Error(`HTTP ${status} for ${request}`);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#missing = this.#missing === undefined ? this.#readHead(chunk) : this.#missing - chunk.length;
    if (this.#missing !== 0) return;
    const { resolve } = this.#answer;
    this.#answer = Promise.withResolvers();
    this.#answer.promise.catch(() => {});
    this.#missing = undefined;
    resolve(this.#status);
  }

  /** The missing bytes of the body. Undefined until the headers are complete. */
  #readHead(chunk: Buffer): number | undefined {
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = this.#head.toString('latin1', 0, end);
    const bodyBytes = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1] ?? 0);
    const missing = bodyBytes - (this.#head.length - end - 4);
    this.#status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.#head = Buffer.alloc(0);
    return missing;
  }
}

/** A request like a crawler's. */
export function requestFor(host: string, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip\r\nUser-Agent: bench\r\n\r\n`;
}

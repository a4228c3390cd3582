/** A bare TCP connection, for clients that behave like no HTTP library. */
import { connect, type Socket } from 'node:net';
import { once, settled } from '../../support/soon.ts';

export interface RawConnection extends AsyncDisposable {
  readonly socket: Socket;
  write(bytes: string | Uint8Array): void;
  /** Everything received so far. */
  received(): string;
  /** Resolves when the received text matches `pattern`. Throws if the other end closes first. */
  receives(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves when the other end has closed. */
  closed(): Promise<void>;
}

export async function openConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let received = '';
  let isClosed = false;
  const watchers = new Set<() => void>();
  const watchAll = () => {
    for (const watch of watchers) watch();
  };
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    watchAll();
  });
  socket.on('close', () => {
    isClosed = true;
    watchAll();
  });
  await once(socket, 'connect');
  // A reset is also a way to close.
  socket.on('error', () => {});

  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received: () => received,
    receives: (pattern) => {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const watch = () => {
        const found = pattern.exec(received);
        if (found) resolve(found);
        else if (isClosed) reject(new Error(`closed, and ${pattern} never came, but: ${received}`));
      };
      watchers.add(watch);
      watch();
      return settled(promise, String(pattern), () => received).finally(() => watchers.delete(watch));
    },
    closed: () => (isClosed ? Promise.resolve() : once(socket, 'close').then(() => {})),
    [Symbol.asyncDispose]: async () => void socket.destroy(),
  };
}

/** The head of a request, up to its empty line. */
export function head(startLine: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${startLine} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** The JSON of the last answer in the received text. */
export function lastJson(received: string) {
  return JSON.parse(received.slice(received.lastIndexOf('\r\n\r\n') + 4));
}

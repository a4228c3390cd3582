/** A receiver of webhooks on loopback. It records requests, and a test chooses its answers. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  /** For example http://127.0.0.1:1234. */
  readonly url: string;
  /** Whole requests, in the order in which they came. */
  readonly received: ReceivedEvent[];
  /** Answers each whole request. By default, the answer is 204. */
  answer: (request: ReceivedEvent, response: ServerResponse, incoming: IncomingMessage) => void;
  /** The number of open connections. */
  readonly connections: () => Promise<number>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(async (incoming, response) => {
    // The sender may close the connection before the answer.
    response.on('error', () => {});
    let body = '';
    try {
      for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    } catch {
      return;
    }
    const request = { path: incoming.url ?? '', headers: incoming.headers, body };
    receiver.received.push(request);
    receiver.answer(request, response, incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: (_request, response) => void response.writeHead(204).end(),
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
}

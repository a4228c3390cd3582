/** test/hosting and test/service test the bytes that hosting and API send. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ClientGone, receiveBody } from '../../../src/core/web/request-body.ts';
import { listen } from '../../../src/platform/http/http-server.ts';
import { refuseMalformed } from '../../../src/platform/http/refuse-malformed.ts';
import { collect } from '../../support/collect.ts';
import { once } from '../../support/soon.ts';

const LIMITS = { maxBytes: 1000, timeoutMs: 60_000 };

test.each([
  ['a body', 'Content-Length: 10\r\n\r\n12345'],
  ['a chunk', 'Transfer-Encoding: chunked\r\n\r\na\r\n12345'],
])(
  'a client that half-closes in the middle of %s, before anyone reads it, gets its answer at once',
  async (_, rest) => {
    const server = createServer(async (request, response) => {
      await once(server, 'clientError');
      const failure = await collect(receiveBody(request, response, LIMITS)).catch((error: Error) => error);
      response.end(String(failure instanceof ClientGone ? failure.refusal : failure));
    });
    refuseMalformed(server, () => ({ fields: {}, body: '' }));
    const port = await listen(server, { address: '127.0.0.1', port: 0, variable: 'API_PORT' });
    onTestFinished(() => server.close().closeAllConnections());

    const client = connect(port, '127.0.0.1');
    onTestFinished(() => void client.destroy());
    client.write(`POST / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n${rest}`);
    await once(server, 'request');
    client.end();
    const received = Buffer.concat(await client.toArray()).toString();
    expect(received).toMatch(/^HTTP\/1\.1 200 .*Refusal: .*damaged or cut short/s);
  },
);

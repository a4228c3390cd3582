/** Hosts with several addresses, of which one answers late. */
import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { createAskOutside } from '../../../src/platform/http/outbound.ts';

/** Accepts no connection until `gate` is opened. Until then, the kernel drops what does not fit into the queue of one. */
const LATE_HOST = `
  const { workerData: gate, parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => response.end('late'));
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(gate, 0, 0);
  });
`;

// Linux drops the first packet of a connection beyond the queue, as a network does that loses it.
test.runIf(process.platform === 'linux')(
  'a host whose first packet is lost is reached, although its other address leads nowhere from here',
  async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const host = new Worker(LATE_HOST, { eval: true, workerData: gate });
    onTestFinished(async () => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      await host.terminate();
    });
    const [port] = (await once(host, 'message')) as [number];
    for (let queued = 0; queued < 2; queued++) {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
    }
    const lookup = ((_name, _options, callback) => {
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        // Nobody has this address (RFC 3849).
        { address: '2001:db8::1', family: 6 },
      ]);
      // The connection has begun, so its first packet is dropped already.
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    }) as LookupFunction;
    const ask = createAskOutside({ allowedRanges: ['127.0.0.0/8', '2001:db8::/32'], lookup });
    const url = `http://far.example.com:${port}/`;
    const answer = await ask({ kind: 'webhook', url, timeoutMs: 60_000, maxBodyBytes: 100 });
    expect(String(answer.body)).toBe('late');
  },
);

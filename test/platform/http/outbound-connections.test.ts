/** Hosts with several addresses, of which one answers late. */
import dns from 'node:dns';
import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AccountKey } from '../../../src/platform/acme/account-key.ts';
import { AcmeSession } from '../../../src/platform/acme/acme-session.ts';
import { createAskOutside } from '../../../src/platform/http/outbound.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';
import { newPrivateKey, readPrivateKey } from '../../../src/platform/x509/certificate-key.ts';

/** Accepts no connection until `gate` is opened. Until then, the kernel drops what does not fit into the queue of one. */
const LATE_HOST = `
  const { workerData: gate, parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => response.end('late'));
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(gate, 0, 0);
  });
`;

/** Starts the host. `lookup` gives its address, and one that leads nowhere. */
async function startLateHost() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const open = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  const host = new Worker(LATE_HOST, { eval: true, workerData: gate });
  onTestFinished(async () => {
    open();
    await host.terminate();
  });
  const [port] = (await once(host, 'message')) as [number];
  for (let queued = 0; queued < 2; queued++) {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
  }
  const lookup = vi.fn(((_name, _options, callback) => {
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      // Nobody has this address (RFC 3849).
      { address: '2001:db8::1', family: 6 },
    ]);
    // The connection has begun, so its first packet is dropped already.
    open();
  }) as LookupFunction);
  return { port, lookup };
}

// Linux drops the first packet of a connection beyond the queue, as a network does that loses it.
describe.runIf(process.platform === 'linux')('of which the other address leads nowhere from here', () => {
  test('a receiver whose first packet is lost is reached', async () => {
    const { port, lookup } = await startLateHost();
    const ask = createAskOutside({ allowedRanges: ['127.0.0.0/8', '2001:db8::/32'], lookup });
    const url = `http://far.example.com:${port}/`;
    const answer = await ask({ kind: 'webhook', url, timeoutMs: 60_000, maxBodyBytes: 100 });
    expect(String(answer.body)).toBe('late');
  });

  test('a store whose first packet is lost is reached at the first attempt', async () => {
    const { port, lookup } = await startLateHost();
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as never);
    onTestFinished(() => void vi.restoreAllMocks());
    using storage = createS3Storage({
      ...{ endpoint: `http://far.example.com:${port}`, region: 'us-east-1', bucket: 'bucket' },
      ...{ accessKey: new Secret('access'), secretKey: new Secret('secret') },
    });
    (await storage.get('a'))?.body.resume();
    expect(lookup).toHaveBeenCalledOnce();
  });

  test('an authority whose first packet is lost is reached', async () => {
    const { port, lookup } = await startLateHost();
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as never);
    onTestFinished(() => void vi.restoreAllMocks());
    using session = new AcmeSession({
      directoryUrl: `https://far.example.com:${port}/`,
      accountKey: new AccountKey(readPrivateKey(newPrivateKey())),
      ...{ userAgent: 'test', timeoutMs: 60_000 },
    });
    // It answers in plain text where TLS is expected.
    await expect(session.directory()).rejects.toThrow(/EPROTO|SSL/);
  });
});

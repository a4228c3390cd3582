/** A client that sends `Connection: close` gets an early answer whole, even while it is still writing. */
import { describe, expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { checkEnvelope, createCustomer } from './support/customer.ts';
import { openConnection } from './support/raw-connection.ts';
import { runProgram } from './support/real-program.ts';
import { useOwnWaypost } from './support/use-waypost.ts';

const MAX_UPLOAD_BYTES = 32 * 1024 * 1024;
const waypost = await useOwnWaypost({ MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();

/** More than all buffers between two local sockets hold. */
const LONG = 16 * 1024 * 1024;
const JSON_TYPE = 'application/json';

interface Refused {
  readonly path?: string;
  readonly key?: string;
  readonly type?: string;
  /** The start of the body. Blanks follow. */
  readonly beginning?: string;
  readonly bytes?: number;
  readonly wanted: number;
}

const cases: [string, Refused][] = [
  ['without a key', { key: 'none', wanted: 401 }],
  ['of the wrong type', { type: 'application/pdf', wanted: 400 }],
  ['to an unknown path', { path: '/api/nothing', wanted: 404 }],
  ['to an unknown domain', { beginning: '{"domain":"x.example.com",', wanted: 404 }],
  ['with an invalid entry', { beginning: `{"domain":"${hostname}","urls":[{"loc":"x"},`, wanted: 422 }],
  ['that is too large', { bytes: MAX_UPLOAD_BYTES + 1, wanted: 413 }],
];

/** Sends like a typical script: the whole body first, then it reads the answer. Prints status and body. */
const URLLIB = `
import sys, urllib.error, urllib.request
url, key, kind, beginning, length = sys.argv[1:]
body = beginning.encode().ljust(int(length))
request = urllib.request.Request(url, body, {"X-API-Key": key, "Content-Type": kind})
try:
    answer = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    answer = error
print(answer.status)
print(answer.headers["X-Request-Id"])
print(answer.headers["Content-Type"])
print(answer.read().decode())
`;

describe("Python's urllib gets its answer", needs('python3'), () => {
  test.each(cases)('to an upload %s', async (_what, refused) => {
    const { path = '/api/sitemap/generate', key = customer.key, type = JSON_TYPE } = refused;
    const { beginning = '', bytes = LONG, wanted } = refused;
    const args = ['-c', URLLIB, waypost.apiUrl + path, key, type, beginning, String(bytes)];
    const { stdout, stderr } = await runProgram('python3', args, { cwd: waypost.dataDir });
    expect(stderr).toBe('');
    const [status = '', requestId, contentType, ...body] = stdout.toString().split('\n');
    expect(Number(status)).toBe(wanted);
    const headers = { 'x-request-id': requestId, 'content-type': contentType };
    checkEnvelope({ status: wanted, headers, body: Buffer.from(body.join('\n')) });
  });
});

describe.each(['1.0', '1.1'])('an HTTP/%s client that asks to close the connection', (version) => {
  test.each(cases)('writes its whole body and gets the answer to an upload %s', async (_what, refused) => {
    const { path = '/api/sitemap/generate', key = customer.key, type = JSON_TYPE } = refused;
    const { beginning = '', bytes = LONG, wanted } = refused;
    await using connection = await openConnection(waypost.apiUrl);
    const { socket } = connection;
    // The client reads nothing until it has written everything.
    socket.pause();
    const fields = [
      'Host: api',
      `X-API-Key: ${key}`,
      `Content-Type: ${type}`,
      `Content-Length: ${bytes}`,
      'Connection: close',
    ];
    connection.write(`POST ${path} HTTP/${version}\r\n${fields.join('\r\n')}\r\n\r\n${beginning}`);
    await new Promise((written) => socket.write(Buffer.alloc(bytes - beginning.length, ' '), written));
    socket.resume();
    const [, status] = await connection.receives(/^HTTP\/1\.1 (\d+)[\s\S]*\r\n\r\n\{[\s\S]*\}\}$/);
    expect(Number(status)).toBe(wanted);
    expect(connection.received()).toMatch(/^connection: close\r$/im);
    await connection.closed();
  });
});

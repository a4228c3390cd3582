/** The check of a key file, over real servers. */
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { findKeyProblem } from '../../src/features/submission/check-key.ts';
import { createAskOutside } from '../../src/platform/http/outbound.ts';
import { freePort } from '../../tools/free-port.ts';
import { startPageHost } from '../support/page-host.ts';

const pages = await startPageHost('127.0.0.4');
afterAll(() => pages[Symbol.asyncDispose]());
const ask = createAskOutside({ allowedRanges: ['127.0.0.0/8'] });
const key = '0123456789abcdef0123456789abcdef';
const host = { host: pages.host, scheme: 'http', key } as const;

const answering =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

test.each<[string, RequestListener]>([
  ['the key', answering(200, key)],
  ['the key and a newline', answering(200, `${key}\r\n`)],
  ['a byte order mark and the key', answering(200, `\ufeff${key}`)],
  ['the key in gzip, as a bucket has it', answering(200, gzipSync(key), { 'Content-Encoding': 'gzip' })],
])('a file with %s is right', async (_, behaviour) => {
  pages.behaviour = behaviour;
  expect(await findKeyProblem(ask, host)).toBeNull();
});

test.each<[string, RequestListener, string]>([
  ['another key', answering(200, key.replace('0', '1')), 'another content'],
  ['a page that contains the key', answering(200, `<p>${key}</p>`), 'another content'],
  ['nothing in it', answering(200, ''), 'another content'],
  [
    'the key in UTF-16, as PowerShell writes it',
    answering(200, Buffer.from(`\ufeff${key}\r\n`, 'utf16le')),
    'is in UTF-16, and search engines read UTF-8',
  ],
  ['the key, and too much white space', answering(200, key + ' '.repeat(5000)), 'another content'],
  ['status 404', answering(404, key), 'status 404'],
  ['status 204', answering(204, ''), 'status 204'],
  ['status 500', answering(500, key), 'status 500'],
  [
    'a redirect to the key',
    answering(302, key, { Location: `http://${pages.host}/${key}.txt` }),
    'redirects (302)',
  ],
  [
    'no HTTP',
    (request) => void request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    'its answer is no valid HTTP.',
  ],
  ['a huge head', answering(200, key, { Policy: 'x'.repeat(20_000) }), 'the head of its answer is too long.'],
  ['a reset', (request) => void request.socket.resetAndDestroy(), 'cannot be fetched'],
  [
    'half an answer',
    (_, response) => {
      response.writeHead(200, { 'Content-Length': '32' }).write('0123');
      setImmediate(() => response.destroy());
    },
    'cannot be fetched',
  ],
])('%s is a problem, and its text says what to do', async (_, behaviour, problem) => {
  pages.behaviour = behaviour;
  const found = await findKeyProblem(ask, host);
  expect(found).toContain(problem);
  expect(found).toContain(`http://${pages.host}/${key}.txt`);
});

test('a host without TLS at the port of https is a problem in words', async () => {
  pages.behaviour = answering(200, key);
  expect(await findKeyProblem(ask, { ...host, scheme: 'https' })).toBe(
    `https://${pages.host}/${key}.txt cannot be fetched: its TLS doesn't work.`,
  );
});

test('an endless answer is cut', async () => {
  pages.behaviour = (_, response) => {
    const write = () => {
      if (response.destroyed) return;
      response.write('x'.repeat(1000));
      setImmediate(write);
    };
    write();
  };
  expect(await findKeyProblem(ask, host)).toContain('another content');
});

test('a host that hangs, and one at a private address, are problems', async () => {
  pages.behaviour = () => {};
  const hasty: typeof ask = (request) => ask({ ...request, timeoutMs: 200 });
  expect(await findKeyProblem(hasty, host)).toContain('cannot be fetched');
  const visits = pages.visits.length;
  expect(await findKeyProblem(createAskOutside({ allowedRanges: [] }), host)).toContain('cannot be fetched');
  expect(pages.visits).toHaveLength(visits);
});

test('a closed port, a silent one and one that resets are told in the same words', async () => {
  const hasty: typeof ask = (request) => ask({ ...request, timeoutMs: 200 });
  const closed = await findKeyProblem(ask, { ...host, host: `127.0.0.4:${await freePort()}` });
  pages.behaviour = () => {};
  const silent = await findKeyProblem(hasty, host);
  pages.behaviour = (request) => void request.socket.resetAndDestroy();
  const reset = await findKeyProblem(ask, host);
  const words = (problem: string | null) => problem!.replace(/^\S+/, '');
  expect([words(closed), words(silent)]).toEqual([words(reset), words(reset)]);
});

test('a process that ends gives up', async () => {
  pages.behaviour = () => {};
  const ending = new AbortController();
  const checking = findKeyProblem(ask, host, ending.signal);
  ending.abort();
  await expect(checking).rejects.toMatchObject({ reason: 'aborted' });
});

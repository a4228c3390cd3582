import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sendUpload } from '../../pages/api/send-upload.ts';

const PUBLISHED = { success: true, data: { uploadId: 'upload_1', urlCount: 1 } };
const REFUSED = {
  success: false,
  error: { code: 'VALIDATION_ERROR', message: 'line 2: no', details: { line: 2 } },
};
const SENT_BEFORE = {
  success: false,
  error: { code: 'CONFLICT', message: 'sent before', details: { field: 'Waypost-Attempt' } },
};
const SWITCHED = {
  success: false,
  error: { code: 'CONFLICT', message: 'switched', details: { field: 'Waypost-Account' } },
};
const SIGNED_OUT = { success: false, error: { code: 'UNAUTHORIZED', message: 'The session has ended.' } };
const ended = (status: number, answer: unknown) => ({ state: 'ended', status, answer });
const UNKNOWN = { state: 'unknown', status: null, answer: null };
const RUNNING = { state: 'running', status: null, answer: null };

/** The answers of the server to an upload, and to each question for its outcome. The last answer repeats. */
let onUpload: (request: IncomingMessage, response: ServerResponse) => unknown;
let outcomes: unknown[];
let asked: (string | undefined)[];
let uploads: IncomingMessage[];
/** Whether the browser has a session by now. */
let isSignedIn: boolean;

const server = createServer((request, response) => {
  if (request.url === '/dashboard/api/session') {
    return answer(response, isSignedIn ? 200 : 401, isSignedIn ? { success: true, data: {} } : SIGNED_OUT);
  }
  const [, token] = /attempts\/(.*)$/.exec(request.url!) ?? [];
  if (token === undefined) {
    uploads.push(request);
    onUpload(request, response);
    return;
  }
  asked.push(token);
  const outcome = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
  if (outcome === 'lost') request.socket.destroy();
  else if (outcome === 'switched') answer(response, 409, SWITCHED);
  else answer(response, 200, { success: true, data: outcome });
});

function answer(response: ServerResponse, status: number, envelope: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(envelope));
}

beforeEach(async () => {
  onUpload = (_, response) => answer(response, 200, PUBLISHED);
  outcomes = [UNKNOWN];
  asked = [];
  uploads = [];
  isSignedIn = false;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { fetch } = globalThis;
  // A page knows its own origin.
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(origin + path, init));
});

afterEach(async () => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const REQUEST = {
  file: new Blob(['loc\nhttps://a.example/\n']),
  query: new URLSearchParams({ domain: 'a.example' }),
  contentType: 'text/csv',
  encoding: null,
};

function send(request: Partial<typeof REQUEST> = {}) {
  const cancel = new AbortController();
  const reachable = vi.fn<(isReachable: boolean) => void>();
  return {
    cancel,
    reachable,
    upload: sendUpload({ ...REQUEST, ...request }, { cancelled: cancel.signal, reachable }),
  };
}

test('the file is the body, with its type, its parameters and a token of its own', async () => {
  let body: Promise<string> | undefined;
  onUpload = (request, response) => {
    body = text(request);
    void body.then(() => answer(response, 200, PUBLISHED));
  };
  await expect(send().upload).resolves.toEqual(PUBLISHED.data);
  await expect(body).resolves.toBe('loc\nhttps://a.example/\n');
  await send().upload;
  const [first, second] = uploads.map(({ headers }) => headers['waypost-attempt']);
  expect(first).toMatch(/^[A-Za-z0-9]{22}$/);
  expect(second).not.toBe(first);
  expect(uploads[0]).toMatchObject({
    url: '/dashboard/api/sitemap/generate?domain=a.example',
    headers: { 'content-type': 'text/csv', 'content-length': '23' },
  });
});

test('an upload whose session has ended is sent again if there is another session by now', async () => {
  onUpload = (_, response) => {
    if (uploads.length === 1) answer(response, 401, SIGNED_OUT);
    else answer(response, 200, PUBLISHED);
  };
  isSignedIn = true;
  await expect(send().upload).resolves.toEqual(PUBLISHED.data);
  const tokens = uploads.map(({ headers }) => headers['waypost-attempt']);
  expect(tokens).toEqual([tokens[0], tokens[0]]);
});

test('an upload whose session has ended is refused if there is no other one, and nobody to wait for', async () => {
  onUpload = (_, response) => answer(response, 401, SIGNED_OUT);
  await expect(send().upload).rejects.toMatchObject({ status: 401 });
  expect(uploads).toHaveLength(1);
});

test('a refusal is an error with its details', async () => {
  onUpload = (_, response) => answer(response, 422, REFUSED);
  await expect(send().upload).rejects.toMatchObject({ status: 422, details: { line: 2 } });
  expect(asked).toEqual([]);
});

test('a failure that came after the publication is not the outcome, and any other is', async () => {
  const FAILED = { success: false, error: { code: 'INTERNAL_ERROR', message: 'a fault' } };
  onUpload = (_, response) => answer(response, 500, FAILED);
  outcomes = [ended(200, PUBLISHED)];
  await expect(send().upload).resolves.toEqual(PUBLISHED.data);
  outcomes = [UNKNOWN];
  await expect(send().upload).rejects.toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
});

test('an answer that is lost is asked for by the token', async () => {
  onUpload = (request) => request.socket.destroy();
  outcomes = [RUNNING, ended(422, REFUSED)];
  await expect(send().upload).rejects.toMatchObject({ status: 422, details: { line: 2 } });
  expect(asked).toEqual([uploads[0]!.headers['waypost-attempt'], uploads[0]!.headers['waypost-attempt']]);
});

test('a browser that sends the request again by itself gets the outcome of the first one', async () => {
  onUpload = (_, response) => answer(response, 409, SENT_BEFORE);
  outcomes = [ended(200, PUBLISHED)];
  await expect(send().upload).resolves.toEqual(PUBLISHED.data);
});

test('an answer that never comes does not matter once the outcome is known; the request ends', async () => {
  let isClosed = false;
  onUpload = (request) =>
    request.socket.on('close', () => {
      isClosed = true;
    });
  outcomes = [ended(200, PUBLISHED)];
  await expect(send().upload).resolves.toEqual(PUBLISHED.data);
  await expect.poll(() => isClosed).toBe(true);
});

test('an upload that never arrived is said to be lost', async () => {
  onUpload = (request) => request.socket.destroy();
  await expect(send().upload).rejects.toMatchObject({ status: 0, code: 'UNREACHABLE' });
});

test('an upload goes on while another tab shows another account, and its own answer counts', async () => {
  outcomes = ['switched'];
  let isCut = false;
  onUpload = (request, response) => {
    request.socket.on('close', () => {
      isCut = !response.writableEnded;
    });
    void vi
      .waitFor(() => expect(asked.length).toBeGreaterThan(0), 20_000)
      .then(() => answer(response, 200, PUBLISHED));
  };
  const { upload, reachable } = send();
  expect(await upload).toEqual(PUBLISHED.data);
  expect(isCut).toBe(false);
  expect(reachable).not.toHaveBeenCalledWith(false);
});

test('an answer that is lost while another tab shows another account is told when it has switched back', async () => {
  onUpload = (request) => request.socket.destroy();
  outcomes = ['switched', 'switched', ended(200, PUBLISHED)];
  expect(await send().upload).toEqual(PUBLISHED.data);
});

test('the network may go and come back', async () => {
  onUpload = (request) => request.socket.destroy();
  outcomes = ['lost', ended(200, PUBLISHED)];
  const { upload, reachable } = send();
  await expect(upload).resolves.toEqual(PUBLISHED.data);
  expect(reachable.mock.calls).toEqual([[false], [true]]);
});

test('whoever cancels learns whether it was published before', async () => {
  const arrived = Promise.withResolvers<void>();
  onUpload = () => arrived.resolve();
  outcomes = [RUNNING, ended(200, PUBLISHED)];
  const { upload, cancel } = send();
  await arrived.promise;
  cancel.abort();
  await expect(upload).resolves.toEqual(PUBLISHED.data);
});

test('whoever cancels without a network is told that nobody knows', async () => {
  const arrived = Promise.withResolvers<void>();
  onUpload = () => arrived.resolve();
  outcomes = ['lost'];
  const { upload, cancel } = send();
  await arrived.promise;
  cancel.abort();
  await expect(upload).rejects.toMatchObject({ code: 'UNSURE' });
});

test('a file that cannot be read any more is said to be so, and nothing is sent', async () => {
  const gone = {
    size: 1,
    slice: () => ({ arrayBuffer: () => Promise.reject(new Error('NotReadableError')) }),
  };
  await expect(send({ file: gone as unknown as Blob }).upload).rejects.toMatchObject({
    code: 'FILE_CHANGED',
  });
  expect(uploads).toEqual([]);
});

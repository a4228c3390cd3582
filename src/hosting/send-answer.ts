/** Writes an answer out. Once its head is sent, what goes wrong can only be told by cutting the connection. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Answer, StreamedBody } from './answer.ts';
import { cutSlice } from './cut-slice.ts';
import { type HostingLimits, LINGER_MS } from './hosting-options.ts';

/** A body of so few bytes leaves in one write with its head when both are strings: worth more than the copying. */
const ONE_WRITE_BYTES = 16 * 1024;

/** Kernels buffer this much of an answer for us, so a smaller one holds nothing of ours for long. */
const SMALL_BYTES = 64 * 1024;

type SendLimits = Pick<HostingLimits, 'minBytesPerSecond' | 'slowReaderGraceMs'>;

/** Resolves when the answer is handed over; throws what cut it short, the client's leaving included. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, fields, body, closes = false }: Answer,
  limits: SendLimits,
): Promise<void> {
  if (closes) response.setHeader('Connection', 'close');
  response.writeHead(status, fields);
  cutSlowReader(response, Number(fields['Content-Length'] ?? 0), limits);

  if (closes) await lingerAfter(request, response, body);
  else if (body === undefined) response.end();
  else if (!Buffer.isBuffer(body)) await stream(body, response);
  else if (body.length <= ONE_WRITE_BYTES) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
}

async function stream({ source, inflate, slice, totalBytes }: StreamedBody, response: ServerResponse) {
  const cut = (bytes: AsyncIterable<Buffer>) => cutSlice(bytes, { slice, totalBytes });
  if (inflate) await pipeline(source, createGunzip({ chunkSize: SMALL_BYTES }), cut, response);
  else await pipeline(source, cut, response);
}

async function lingerAfter(request: IncomingMessage, response: ServerResponse, body: Answer['body']) {
  if (Buffer.isBuffer(body) && request.method !== 'HEAD') response.write(body);
  else response.flushHeaders();
  request.resume();
  // Whether the body ended, broke off or was too long makes no difference any more.
  await finished(request, { signal: AbortSignal.timeout(LINGER_MS) }).catch(() => {});
  response.end();
}

function cutSlowReader(response: ServerResponse, bytes: number, limits: SendLimits): void {
  if (bytes <= SMALL_BYTES || response.closed) return;
  const allowedMs = limits.slowReaderGraceMs + (bytes / limits.minBytesPerSecond) * 1_000;
  const timer = setTimeout(() => response.destroy(), allowedMs);
  response.once('close', () => clearTimeout(timer));
}

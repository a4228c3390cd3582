/** Writes an answer out. After its head is sent, the only way to report a failure is to cut the connection. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { answerAndLinger } from '../../platform/http/linger.ts';
import { exactly } from '../bodies/exactly.ts';
import { type HostingLimits, LINGER } from '../hosting-options.ts';
import { type Answer, type HeldBody, SMALL_BODY_BYTES } from './answer.ts';

/** As a string, a body up to this size leaves in one write with its head. That saves more than the copy costs. */
const ONE_WRITE_BYTES = 16 * 1024;
/** Over TLS, Node joins head and body anyway before it encrypts them, so only the smallest are better as a string. */
const ONE_SECURE_WRITE_BYTES = 4 * 1024;

/** How much XML we inflate ahead of a slow client. */
const INFLATED_CHUNK_BYTES = 32 * 1024;

type SendLimits = Pick<HostingLimits, 'minBytesPerSecond' | 'slowReaderGraceMs'>;

/** Resolves when the answer is handed over. Throws if anything cuts it short, a client that leaves included. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, fields, body, closes = false }: Answer,
  limits: SendLimits,
): Promise<void> {
  if (closes) response.setHeader('Connection', 'close');
  response.writeHead(status, fields);
  cutSlowReader(response, Number(fields['Content-Length'] ?? 0), limits);

  if (closes) answerAndLinger(request, response, Buffer.isBuffer(body) ? body : undefined, LINGER);
  else if (body === undefined) response.end();
  else if (!Buffer.isBuffer(body)) await sendHeld(body, response);
  else if (body.length <= oneWriteBytes(request)) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
}

const oneWriteBytes = ({ socket }: IncomingMessage) =>
  socket instanceof TLSSocket ? ONE_SECURE_WRITE_BYTES : ONE_WRITE_BYTES;

async function sendHeld({ content, inflatedBytes, close }: HeldBody, response: ServerResponse) {
  if (response.closed) return close();
  response.once('close', close);
  if (Buffer.isBuffer(content)) response.end(content);
  else if (inflatedBytes === undefined) await sendPieces(content, response);
  else {
    const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES });
    await pipeline(content, gunzip, (xml) => exactly(xml, inflatedBytes), response);
  }
}

/** Not with `pipeline`: it reads a piece ahead. */
async function sendPieces(pieces: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
  for await (const piece of pieces) {
    // The client may have left while we read the piece.
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        response.off('drain', goOn).off('close', goOn);
        resolve();
      };
      response.once('drain', goOn).once('close', goOn);
    });
    if (response.destroyed) return;
  }
  response.end();
}

function cutSlowReader(response: ServerResponse, bytes: number, limits: SendLimits): void {
  if (bytes <= SMALL_BODY_BYTES || response.closed) return;
  const allowedMs = limits.slowReaderGraceMs + (bytes / limits.minBytesPerSecond) * 1_000;
  const timer = setTimeout(() => response.destroy(), allowedMs);
  response.once('close', () => clearTimeout(timer));
}

/** Writes an answer out. After its head is sent, the only way to report a failure is to cut the connection. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { answerAndLinger } from '../../../platform/http/linger.ts';
import { type HostingLimits, LINGER } from '../hosting-options.ts';
import type { Answer, ResourceBody } from './answer.ts';

/** The most bytes of a body that is sent as a string, in one write with the head. One write saves more than the copy costs. */
const ONE_WRITE_BYTES = 16 * 1024;
/** The most bytes over TLS. There Node joins head and body before it encrypts them, so a string is faster only for the smallest bodies. */
const ONE_SECURE_WRITE_BYTES = 4 * 1024;

/**
 * The size of pieces over TLS. Node encrypts each write at once and as a whole, in memory of the connection, so a slow reader of a cached file
 * would hold a copy of it.
 */
const SECURE_PIECE_BYTES = 64 * 1024;

/** The most XML that we inflate ahead of a slow client. */
const INFLATED_CHUNK_BYTES = 32 * 1024;

type SendLimits = Pick<HostingLimits, 'minBytesPerSecond' | 'slowReaderGraceMs'>;

/**
 * Sends an answer. If the function returns no promise, Node has the whole answer already. Throws or rejects if the answer is cut short,
 * even by a client that leaves.
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  limits: SendLimits,
): Promise<void> | undefined {
  const { status, fields, body, closes = false } = answer;
  if (closes) response.setHeader('Connection', 'close');
  if (!storePreparedHead(request, response, answer)) response.writeHead(status, fields);
  if (closes) answerAndLinger(request, response, Buffer.isBuffer(body) ? body : undefined, LINGER);
  else if (body === undefined) response.end();
  else if (!Buffer.isBuffer(body)) return sendHeld(body, response, Number(fields['Content-Length']), limits);
  else if (body.length <= oneWriteBytes(request)) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
  return undefined;
}

/**
 * Writes a prepared head at a fifth of the cost of `writeHead`, which saves a seventh of the cost of a whole answer. Node has no documented
 * way to take prepared lines. Node adds Date and the fields of the connection. Returns false if the request needs other fields, or if Node
 * has changed.
 */
function storePreparedHead(
  request: IncomingMessage,
  response: ServerResponse & { _storeHeader?: (head: string, fields: readonly string[]) => void },
  { status, head, fields }: Answer,
): boolean {
  const isPlain = request.httpVersionMinor === 1 && request.headers.expect === undefined;
  if (head === undefined || !isPlain || response.hasHeader('Connection')) return false;
  if (typeof response._storeHeader !== 'function') return false;
  response.statusCode = status;
  response._storeHeader(head, ['Content-Length', fields['Content-Length']!]);
  return true;
}

const oneWriteBytes = ({ socket }: IncomingMessage) =>
  socket instanceof TLSSocket ? ONE_SECURE_WRITE_BYTES : ONE_WRITE_BYTES;

function sendHeld(
  { content: given, inflatedBytes, close }: ResourceBody,
  response: ServerResponse,
  bytes: number,
  limits: SendLimits,
): Promise<void> | undefined {
  const isCut = Buffer.isBuffer(given) && response.socket instanceof TLSSocket;
  const content = isCut ? piecesOf(given) : given;
  const isWhole = Buffer.isBuffer(content);
  if (!response.closed && isWhole) response.end(content);
  // Close now if the client has left, or if the operating system has taken the whole body.
  if (response.closed || (isWhole && response.socket?.writableLength === 0)) {
    close();
    return undefined;
  }
  response.once('close', close);
  cutSlowReader(response, bytes, limits);
  if (isWhole) return undefined;
  if (inflatedBytes === undefined) return sendPieces(content, response);
  const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES });
  return pipeline(content, gunzip, (xml) => exactly(xml, inflatedBytes), response);
}

async function* piecesOf(whole: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += SECURE_PIECE_BYTES) {
    yield whole.subarray(at, at + SECURE_PIECE_BYTES);
  }
}

/** Sends pieces one by one. Do not use `pipeline` here, because it reads a piece ahead. */
async function sendPieces(pieces: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
  for await (const piece of pieces) {
    // The client may have left while we read the piece.
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    const { promise: goesOn, resolve } = Promise.withResolvers<void>();
    response.once('drain', resolve).once('close', resolve);
    await goesOn;
    response.off('drain', resolve).off('close', resolve);
    if (response.destroyed) return;
  }
  response.end();
}

function cutSlowReader(response: ServerResponse, bytes: number, limits: SendLimits): void {
  const allowedMs = limits.slowReaderGraceMs + (bytes / limits.minBytesPerSecond) * 1_000;
  const timer = setTimeout(() => response.destroy(), allowedMs);
  response.once('close', () => clearTimeout(timer));
}

/** The error for a stream that is shorter or longer than promised. */
export class WrongLength extends Error {
  override readonly name = 'WrongLength';
}

/**
 * Yields the pieces of a source that must have exactly `bytes`. Holds the last piece back until the source has ended well. If gunzip finds
 * a wrong checksum at the end, the client has fewer bytes than Content-Length, so it knows that the answer is broken.
 */
export async function* exactly(source: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let received = 0;
  let held: Buffer | undefined;
  for await (const chunk of source) {
    received += chunk.length;
    if (received > bytes) throw new WrongLength(`more than the ${bytes} bytes expected`);
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (received < bytes) throw new WrongLength(`${received} of ${bytes} bytes`);
  if (held !== undefined) yield held;
}

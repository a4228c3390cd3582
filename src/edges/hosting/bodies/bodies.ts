/**
 * Opens a slice of a file so that a client that reads slowly, or not at all, holds little memory. A file fits if its gzip fits into the
 * cache, or if its XML has at most SMALL_XML_BYTES.
 *
 *   file fits, slice up to SMALL_BODY_BYTES   the cached bytes
 *   file fits, larger slice                   the cached bytes as a loan; in pieces when too much is lent
 *   other file, gzip                          in pieces of gzip
 *   other file, whole XML                     in pieces of gzip, inflated while they are sent; after the first request perhaps from a cache
 *   other file, range of XML                  in pieces of the inflated file
 *
 * A piece is read into memory only when the client has taken the piece before it. So no connection to the store waits for a client. Each
 * reader of pieces has buffers of its own, so the number of readers is limited per client and in all.
 */
import { Shares } from '../../../platform/concurrency/shares.ts';
import { Turns } from '../../../platform/concurrency/turns.ts';
import type { ByteRange } from '../../../platform/storage/object-storage.ts';
import { type Body, type ResourceBody, SMALL_BODY_BYTES } from '../answer/answer.ts';
import type { Client, OwnerOf } from '../client.ts';
import type { FoundFile } from '../lookup/found-file.ts';
import { Busy } from './busy.ts';
import { InFlightBuffers } from './in-flight-buffers.ts';
import { type InflatedFiles, SMALL_XML_BYTES } from './inflated-files.ts';
import type { StoredObjects } from './stored-objects.ts';

/** The size of pieces. If S3 takes 20 ms for a read, a client gets 12 MB/s. */
const PIECE_BYTES = 256 * 1024;
/** The size of gzip pieces that are inflated on the way. A piece has some 300 kB of XML. It is small, because streams read ahead. */
const INFLATED_PIECE_BYTES = 32 * 1024;
/** The most readers of pieces. A reader holds at most two pieces, or the buffers of its gunzip. So all readers hold 128 MiB at most. */
const IN_PIECES = { inAll: 256, perOwner: 64 };
/** The most pieces that are read from the store at once. Clients take turns. */
const READS = 8;

export interface BodiesOptions {
  readonly objects: StoredObjects;
  readonly inflated: InflatedFiles;
  readonly maxLentBytes: number;
  readonly ownerOf: OwnerOf;
}

export class Bodies {
  readonly #options: BodiesOptions;
  readonly #lent: InFlightBuffers;
  readonly #inPieces = new Shares(IN_PIECES);
  readonly #reads = new Turns(READS);

  constructor(options: BodiesOptions) {
    this.#options = options;
    this.#lent = new InFlightBuffers(options.maxLentBytes);
  }

  /** Opens a slice of the stored gzip. Throws ObjectGone, StoreUnavailable, Busy. */
  openGzip(found: FoundFile, slice: ByteRange, client: Client): Body | Promise<Body> {
    const { objects, ownerOf } = this.#options;
    const readPiece = this.#gzipPieces(found, client);
    if (!objects.isCacheable(found)) return this.#openPieces(readPiece, slice, client);
    const whole = objects.readWhole(found, () => ownerOf(client));
    return this.#lend(whole, slice, readPiece, client);
  }

  /** Opens a slice of the inflated XML. Throws ObjectGone, StoreUnavailable, Busy. */
  openXml(found: FoundFile, slice: ByteRange, client: Client): Body | Promise<Body> {
    const { inflated } = this.#options;
    const { bytes, gzipBytes } = found.file;
    const ownerOf = () => this.#options.ownerOf(client);
    const inflate = () => inflated.read(found, ownerOf);
    const inflatedPiece = async ({ offset, length }: ByteRange) =>
      // `Buffer.from` copies: a subarray keeps the whole buffer in memory.
      Buffer.from((await inflate()).subarray(offset, offset + length));
    if (bytes <= SMALL_XML_BYTES) return this.#lend(inflate(), slice, inflatedPiece, client);
    if (slice.length < bytes) return this.#openPieces(inflatedPiece, slice, client);
    const hot = inflated.findLarge(found, ownerOf);
    if (hot !== undefined) return this.#lend(hot, slice, inflatedPiece, client);
    const whole = { offset: 0, length: gzipBytes };
    const gzip = this.#openPieces(this.#gzipPieces(found, client), whole, client, INFLATED_PIECE_BYTES);
    return gzip.then((body) => ({ ...body, inflatedBytes: bytes }));
  }

  #lend(
    whole: Buffer | Promise<Buffer>,
    slice: ByteRange,
    readPiece: ReadPiece,
    client: Client,
  ): Body | Promise<Body> {
    if (whole instanceof Promise) return whole.then((bytes) => this.#lend(bytes, slice, readPiece, client));
    const isWhole = slice.length === whole.length;
    const content = isWhole ? whole : whole.subarray(slice.offset, slice.offset + slice.length);
    if (slice.length <= SMALL_BODY_BYTES) return isWhole ? content : Buffer.from(content);
    const close = this.#lent.lend(whole);
    return close === undefined ? this.#openPieces(readPiece, slice, client) : { content, close };
  }

  #gzipPieces(found: FoundFile, client: Client): ReadPiece {
    // Find the owner of the client only when a piece is read, because this costs as much as the whole answer for a small file.
    const { objects, ownerOf } = this.#options;
    return (range) => this.#reads.run(ownerOf(client) ?? '', () => objects.readPiece(found, range));
  }

  async #openPieces(
    readPiece: ReadPiece,
    slice: ByteRange,
    client: Client,
    pieceBytes = PIECE_BYTES,
  ): Promise<ResourceBody> {
    const close = this.#inPieces.take(this.#options.ownerOf(client));
    if (close === undefined) throw new Busy('too many large files are being read');
    try {
      // Read the first piece before the head is sent: if the read fails, the status is still open.
      const first = await readPiece(firstOf(slice, pieceBytes));
      return { content: piecesFrom(first, slice, readPiece, pieceBytes), close };
    } catch (error) {
      close();
      throw error;
    }
  }
}

type ReadPiece = (range: ByteRange) => Promise<Buffer>;

const firstOf = ({ offset, length }: ByteRange, pieceBytes: number): ByteRange => ({
  offset,
  length: Math.min(length, pieceBytes),
});

async function* piecesFrom(
  first: Buffer,
  slice: ByteRange,
  readPiece: ReadPiece,
  pieceBytes: number,
): AsyncGenerator<Buffer> {
  let left = slice;
  for (let piece: Buffer | undefined = first; ; piece = undefined) {
    piece ??= await readPiece(firstOf(left, pieceBytes));
    left = { offset: left.offset + piece.length, length: left.length - piece.length };
    yield piece;
    if (left.length === 0) return;
  }
}

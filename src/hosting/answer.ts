/** What is answered, before any byte of it is sent. `send-answer.ts` writes it out. */
import type { Readable } from 'node:stream';
import type { ByteRange } from '../platform/object-storage.ts';

export type Fields = Readonly<Record<string, string>>;

/** On every answer. `noindex` is for the file itself; the pages it names are not affected. */
export const COMMON_FIELDS: Fields = { 'X-Robots-Tag': 'noindex', 'X-Content-Type-Options': 'nosniff' };

export interface Answer {
  readonly status: number;
  /** All header fields but those of the connection, the common ones included. */
  readonly fields: Fields;
  /** Absent for HEAD and 304. */
  readonly body?: Body;
  /** Whether the connection ends with this answer. */
  readonly closes?: boolean;
}

/** Bytes that are at hand, or a source that is read, inflated where needed, cut and checked while it is sent. */
export type Body = Buffer | StreamedBody;

export interface StreamedBody {
  /** Destroyed by whoever sends, also when nothing can be sent any more. */
  readonly source: Readable;
  /** Whether `source` is gzip and the client wants what is inside. */
  readonly inflate: boolean;
  /** How many bytes come in all, after inflating; anything else is a damaged object. */
  readonly totalBytes: number;
  /** Which of them are sent. */
  readonly slice: ByteRange;
}

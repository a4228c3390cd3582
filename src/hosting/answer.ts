/** What is answered, before any byte of it is sent. `send-answer.ts` writes it out. */
import type { Readable } from 'node:stream';
import type { ByteRange } from '../platform/object-storage.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
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

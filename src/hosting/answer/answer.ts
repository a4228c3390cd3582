/** What is answered, before any byte of it is sent. `send-answer.ts` writes it out. */

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

/** Kernels buffer this much of an answer for us, so a smaller one holds nothing of ours for long. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Bytes that cost nothing to keep, or a body that holds something while it is sent. */
export type Body = Buffer | HeldBody;

export interface HeldBody {
  /** In pieces, the next is read when the client has taken the one before. */
  readonly content: Buffer | AsyncIterable<Buffer>;
  /** Where `content` is gzip and the client wants the XML inside: its length, which anything else is not. */
  readonly inflatedBytes?: number;
  /** Gives back what it holds; to be called once, whatever became of the answer. */
  close(): void;
}

/** An answer before it is sent. `send-answer.ts` writes it out. */

export type Fields = Readonly<Record<string, string>>;

/** On every answer. `noindex` covers the file itself, not the pages that it lists. */
export const COMMON_FIELDS: Fields = { 'X-Robots-Tag': 'noindex', 'X-Content-Type-Options': 'nosniff' };

export interface Answer {
  readonly status: number;
  /** All header fields, COMMON_FIELDS included, except those of the connection. */
  readonly fields: Fields;
  /** The status line and all fields but Content-Length, as they go over the wire: for answers that are sent often. */
  readonly head?: string;
  /** Absent for HEAD and 304. */
  readonly body?: Body;
  /** The connection ends with this answer. */
  readonly closes?: boolean;
}

/** The kernel's send buffer takes this much, so a smaller body soon leaves our memory. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Bytes that cost nothing to keep, or a body that holds a resource until it is sent. */
export type Body = Buffer | HeldBody;

export interface HeldBody {
  /** Whole, or in pieces: a piece is read when the client has taken the one before. */
  readonly content: Buffer | AsyncIterable<Buffer>;
  /** Set when `content` is gzip and the client wants the XML inside: the exact length of that XML. */
  readonly inflatedBytes?: number;
  /** Releases the resource. Call it once, whether the answer was sent or not. */
  close(): void;
}

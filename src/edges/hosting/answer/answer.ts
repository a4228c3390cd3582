/** An answer before it is sent. `send-answer.ts` writes it out. */

export type Fields = Readonly<Record<string, string>>;

/** The fields of every answer. `noindex` covers the sitemap file itself, not the pages that it lists. */
export const COMMON_FIELDS: Fields = { 'X-Robots-Tag': 'noindex', 'X-Content-Type-Options': 'nosniff' };

export interface Answer {
  readonly status: number;
  /** All header fields with COMMON_FIELDS, but without the fields of the connection. */
  readonly fields: Fields;
  /** The status line and all fields but Content-Length, as HTTP writes them. Present for answers that are sent often. */
  readonly head?: string;
  /** The body. Absent for a 304, and for a HEAD of a file. */
  readonly body?: Body;
  /** Whether the connection ends with this answer. */
  readonly closes?: boolean;
}

/** The most bytes of a small body. The send buffer of the operating system takes as much, so a small body soon leaves our memory. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Returns the bytes of the body that is sent. Node sends no body to a HEAD. */
export function bodyBytes({ body, fields }: Answer, method: string | undefined): number {
  return body === undefined || method === 'HEAD' ? 0 : Number(fields['Content-Length']);
}

/** The bytes of a body if they cost nothing to keep. Otherwise a body that holds a resource until it is sent. */
export type Body = Buffer | ResourceBody;

export interface ResourceBody {
  /** The body, whole or in pieces: each piece is read when the client has taken the piece before it. */
  readonly content: Buffer | AsyncIterable<Buffer>;
  /** The exact length of the XML inside `content`. Set when `content` is gzip and the client wants XML. */
  readonly inflatedBytes?: number;
  /** Releases the resource. Call it once, whether the answer was sent or not. */
  close(): void;
}

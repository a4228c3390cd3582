/**
 * Content that is the same for all clients. It is compressed once for each encoding, at the first request, so that later requests cost no
 * work.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { answerAndLinger } from '../../platform/http/linger.ts';
import { sendBytes } from './envelope.ts';
import { requireKnownQuery } from './query-text.ts';

/** A new version of the service may have other content, and clients may see it a few minutes late. */
const CACHE_CONTROL = 'public, max-age=300';

export interface FixedContent {
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Encodings, each with the end of its entity tag. The first encoding that the client accepts is used. */
const ENCODINGS = {
  br: { end: '-br', compress: promisify(brotliCompress) },
  gzip: {
    end: '-gz',
    compress: (plain: Buffer) => promisify(gzip)(plain, { level: constants.Z_BEST_COMPRESSION }),
  },
} as const;
type Encoding = keyof typeof ENCODINGS;
const NAMES = Object.keys(ENCODINGS) as Encoding[];

/** Sends the content, and refuses query parameters. */
export function sendFixed(content: FixedContent): RequestHandler {
  const send = fixedAnswer(content);
  return (request, response, next) => {
    requireKnownQuery(request, []);
    return send(request, response, next);
  };
}

/** Sends the content without authentication. `headers` may replace `Cache-Control`. */
export function fixedAnswer({ contentType, body, headers = {} }: FixedContent): RequestHandler {
  const plain = Buffer.from(body);
  const tag = hash('sha1', plain, 'base64url');
  const made = new Map<Encoding, Promise<Buffer>>();
  const compressed = (encoding: Encoding) => {
    const bytes = made.get(encoding) ?? ENCODINGS[encoding].compress(plain);
    made.set(encoding, bytes);
    return bytes;
  };
  return async (request, response) => {
    const encoding = NAMES.find((name) => request.acceptsEncodings(name) === name);
    response.set({
      'Cache-Control': CACHE_CONTROL,
      ...headers,
      ETag: `"${tag}${encoding === undefined ? '' : ENCODINGS[encoding].end}"`,
      Vary: 'Accept-Encoding',
    });
    if (request.fresh) return answerAndLinger(request, response.status(304));
    if (encoding !== undefined) response.set('Content-Encoding', encoding);
    sendBytes(response, contentType, encoding === undefined ? plain : await compressed(encoding));
  };
}

/** Content that is the same for everyone: made once, in plain and in gzip, so that a request costs no work. */
import { hash } from 'node:crypto';
import { constants, gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { answerAndLinger } from '../../platform/http/linger.ts';
import { sendBytes } from '../../web/envelope.ts';
import { requireKnownQuery } from '../../web/known-query.ts';

/** A new version of the service may have another one, and nothing waits for it. */
const CACHE_CONTROL = 'public, max-age=300';

export interface FixedContent {
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Needs no key. */
export function sendFixed({ contentType, text, headers = {} }: FixedContent): RequestHandler {
  const plain = Buffer.from(text);
  const zipped = gzipSync(plain, { level: constants.Z_BEST_COMPRESSION });
  const tag = hash('sha1', plain, 'base64url');
  return (request, response) => {
    requireKnownQuery(request, []);
    const isZipped = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
    response.set({
      ...headers,
      'Cache-Control': CACHE_CONTROL,
      ETag: isZipped ? `"${tag}-gz"` : `"${tag}"`,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
    if (request.fresh) return answerAndLinger(request, response.status(304));
    if (isZipped) response.set('Content-Encoding', 'gzip');
    sendBytes(response, contentType, isZipped ? zipped : plain);
  };
}

/** `/sitemap.css`, by which browsers show sitemaps as tables (docs/decisions/0020): the same for every site, kept in memory. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, gzipSync } from 'node:zlib';
import { chooseEncoding } from './accept-encoding.ts';
import { type Representation, represent } from './representation.ts';

/** The stylesheet in the encoding that the client prefers; undefined if it accepts none of ours. */
export type Stylesheet = (acceptEncoding: string | undefined) => Representation | undefined;

/** A day: files that were written by another version are shown by it too, so a copy never harms. */
const CACHE_CONTROL = 'public, max-age=86400';

export function readStylesheet(): Stylesheet {
  const css = readFileSync(new URL('./sitemap.css', import.meta.url));
  const tag = hash('sha1', css, 'base64url');
  const identity = representCss(css, { etag: `"${tag}"` });
  const gzip = representCss(gzipSync(css, { level: constants.Z_BEST_COMPRESSION }), {
    etag: `"${tag}-gz"`,
    contentEncoding: 'gzip',
  });
  return (acceptEncoding) => {
    const encoding = chooseEncoding(acceptEncoding);
    return encoding && { identity, gzip }[encoding];
  };
}

function representCss(bytes: Buffer, encoded: { etag: string; contentEncoding?: string }): Representation {
  return represent({
    ...encoded,
    contentType: 'text/css; charset=utf-8',
    cacheControl: CACHE_CONTROL,
    isNegotiated: true,
    bytes: bytes.length,
    open: ({ offset, length }) => bytes.subarray(offset, offset + length),
  });
}

/** Serves `/sitemap.css`, by which browsers show sitemaps as tables (docs/decisions/0020). All sites have the same stylesheet. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, gzipSync } from 'node:zlib';
import { chooseEncoding } from './accept-encoding.ts';
import { type Representation, represent } from './representation.ts';

/** Returns the stylesheet in the client's preferred encoding; undefined if the client accepts none of ours. */
export type Stylesheet = (acceptEncoding: string | undefined) => Representation | undefined;

/** Caches keep the stylesheet for a day. An old copy does no harm, because it shows the files of newer versions too. */
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

/** The paths that a site can have. All other paths are answered without a look-up. */
import { FEED_FILE, parseFileName, ROBOTS_FILE, STYLESHEET_FILE } from '../../../core/sitemap/file-names.ts';
import { rememberRecent } from '../../../platform/remember-recent.ts';

export type FileName = NonNullable<ReturnType<typeof parseFileName>>;

/**
 * A file that every site has, the feed of changes, or a sitemap file. `countedAs`: the name of the file in the counts of crawls. While a
 * path is remembered, the name is the same string in all results, so that a map need not hash the string again.
 */
export type AskedFile =
  | { readonly kind: 'robots'; readonly countedAs: string }
  | { readonly kind: 'stylesheet'; readonly countedAs: string }
  | { readonly kind: 'feed'; readonly countedAs: string }
  /** `alias`: the path ends in `.xml.gz` and names the gzip bytes as a file of their own. */
  | {
      readonly kind: 'sitemap file';
      readonly name: FileName;
      readonly alias: boolean;
      readonly countedAs: string;
    };

/** The answer to a challenge of a certificate authority (RFC 8555, section 8.3). */
export interface AskedChallenge {
  readonly kind: 'challenge';
  readonly token: string;
}

/** A file that proves to search engines that the host agrees to submissions with this key. */
export interface AskedKey {
  readonly kind: 'key file';
  readonly key: string;
}

const KEY_FILE_PATH = /^\/([0-9a-f]{32})\.txt$/;
const CHALLENGE_PATH = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,128})$/;

/** Parses a path in its exact form: no `%` is decoded, and case and slashes are compared as they are. Undefined if no site has the path. */
export const parsePath: (path: string) => AskedFile | AskedKey | AskedChallenge | undefined = rememberRecent(
  readPath,
  // The remembered paths take 100 kB at most.
  { most: 1_000, maxLength: 100 },
);

function readPath(path: string): AskedFile | AskedKey | AskedChallenge | undefined {
  if (path === `/${ROBOTS_FILE}`) return { kind: 'robots', countedAs: ROBOTS_FILE };
  if (path === `/${STYLESHEET_FILE}`) return { kind: 'stylesheet', countedAs: STYLESHEET_FILE };
  if (path === `/${FEED_FILE}`) return { kind: 'feed', countedAs: FEED_FILE };
  if (!path.startsWith('/')) return undefined;
  const key = KEY_FILE_PATH.exec(path)?.[1];
  if (key !== undefined) return { kind: 'key file', key };
  const token = CHALLENGE_PATH.exec(path)?.[1];
  if (token !== undefined) return { kind: 'challenge', token };
  const alias = path.endsWith('.xml.gz');
  const file = path.slice(1, alias ? -'.gz'.length : undefined);
  const name = parseFileName(file);
  return name && { kind: 'sitemap file', name, alias, countedAs: file };
}

/**
 * Addresses in buckets, as in s3://bucket/2026/*.csv.gz. The key has no percent-encoding. `*` matches any characters but slashes, and `**`
 * matches slashes, too.
 */
import { invalidField } from '../../../platform/refusal.ts';
import { isStorable } from '../../../platform/storable-text.ts';

export interface BucketAddress {
  readonly bucket: string;
  /** The key of an object, or a pattern of keys. */
  readonly key: string;
}

const SCHEME = 's3://';
/** S3's limit of a key, in bytes. */
const MAX_KEY_BYTES = 1024;
/** The limit of the matcher's work: it tries each wildcard at each place of a key. */
const MAX_WILDCARDS = 10;

export const isBucketAddress = (url: string) => url.startsWith(SCHEME);

/** Splits an address in a bucket. Returns undefined for an address of the web. */
export function bucketAddress(url: string): BucketAddress | undefined {
  if (!isBucketAddress(url)) return undefined;
  const [bucket = '', ...key] = url.slice(SCHEME.length).split('/');
  return { bucket, key: key.join('/') };
}

export const addressIn = (bucket: string, key: string) => `${SCHEME}${bucket}/${key}`;
export const hasWildcards = ({ key }: BucketAddress) => key.includes('*');

/** Throws Refusal VALIDATION_ERROR. */
export function parseBucketAddress(url: string): BucketAddress {
  const address = bucketAddress(url)!;
  const refused = (message: string) => invalidField('sources', url, message);
  if (address.bucket === '' || address.key === '') {
    throw refused('must name a bucket and a key, as in s3://bucket/2026/*.csv.gz');
  }
  if (!isStorable(url)) throw refused('must have no NUL and no half of a character');
  if (Buffer.byteLength(address.key) > MAX_KEY_BYTES) {
    throw refused(`must have keys of at most ${MAX_KEY_BYTES} bytes`);
  }
  if ((address.key.match(/\*+/g) ?? []).length > MAX_WILDCARDS) {
    throw refused(`must have at most ${MAX_WILDCARDS} wildcards`);
  }
  return address;
}

/** Returns the beginning that all keys of a pattern share. */
export const prefixOf = ({ key }: BucketAddress) => key.split('*', 1)[0]!;

/**
 * Returns a function that tells whether a key matches the pattern. The folder of the pattern is its beginning up to the last slash before
 * the first wildcard. Below this folder, names that begin with `_` or `.` do not match, unless the pattern has such a name itself:
 * programs write files such as `_SUCCESS` for themselves.
 */
export function matcherOf({ key: pattern }: BucketAddress): (key: string) => boolean {
  const [first = '', ...rest] = pattern.split(/(\*+)/);
  const folder = first.slice(0, first.lastIndexOf('/') + 1).length;
  const hidesNames = !HIDDEN.test(pattern.slice(folder));
  return (key) => {
    if (!key.startsWith(first) || (hidesNames && HIDDEN.test(key.slice(folder)))) return false;
    let places: ReadonlySet<number> = new Set([first.length]);
    for (let i = 0; i < rest.length; i += 2) {
      places = placesAfter(key, places, rest[i]!.length > 1, rest[i + 1]!, i + 2 === rest.length);
    }
    return places.has(key.length);
  };
}

const HIDDEN = /(?:^|\/)[_.]/;

/** Returns the places where a wildcard and the text after it can end. The wildcard begins at one of `begins`. Looks at each place once. */
function placesAfter(
  key: string,
  begins: ReadonlySet<number>,
  crossesSlashes: boolean,
  text: string,
  isLast: boolean,
): ReadonlySet<number> {
  const ends = new Set<number>();
  let isOpen = false;
  for (let at = 0; at + text.length <= key.length; at++) {
    isOpen ||= begins.has(at);
    const isEnd = at + text.length === key.length;
    if (isOpen && (isEnd || !isLast) && key.startsWith(text, at)) ends.add(at + text.length);
    if (!crossesSlashes && key[at] === '/') isOpen = false;
  }
  return ends;
}

/**
 * Signs requests to buckets of S3-compatible stores: AWS Signature Version 4, by headers. The bucket is in the path, because every store
 * accepts this form. In the host, a bucket name with dots matches no certificate of the store.
 */
import { signV4 } from 'minio/dist/esm/signing.mjs';
import type { Secret } from '../secret.ts';

export interface BucketStore {
  /** The origin of the store, as in https://s3.example.net. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  /** The token of temporary keys; null for all other keys. */
  readonly sessionToken: Secret | null;
}

/** The SHA-256 of the empty body of a GET. */
const NO_BYTES = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * Returns the address of a GET, and its headers. Their signature fits no other address. `key`: undefined for the bucket itself. Throws
 * RangeError if no address can have the key.
 */
export function signedGet(
  store: BucketStore,
  { bucket, key }: { readonly bucket: string; readonly key?: string },
  now: Date,
  query: Readonly<Record<string, string>> = {},
): { url: string; headers: Record<string, string> } {
  if (key !== undefined && !isAddressable(key)) throw new RangeError('no address has this key');
  const { host, protocol } = new URL(store.endpoint);
  const search = Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&');
  const path = `/${bucket}${key === undefined ? '' : `/${key.split('/').map(encoded).join('/')}`}`;
  const target = search === '' ? path : `${path}?${search}`;
  const { accessKeyId, secretAccessKey, sessionToken, region } = store;
  const headers = {
    'x-amz-content-sha256': NO_BYTES,
    'x-amz-date': now.toISOString().replaceAll(/[-:]|\.\d+/g, ''),
    ...(sessionToken !== null && { 'x-amz-security-token': sessionToken.reveal() }),
  };
  const signed = { method: 'GET', protocol, path: target, headers: { host, ...headers } };
  const authorization = signV4(signed, accessKeyId.reveal(), secretAccessKey.reveal(), region, now, NO_BYTES);
  return {
    url: `${protocol}//${host}${target}`,
    headers: { ...headers, authorization },
  };
}

/** Whether a URL can address the key. A segment `.` or `..`, also as `%2e`, leads to another object or bucket (WHATWG URL). */
export function isAddressable(key: string): boolean {
  return key !== '' && key.isWellFormed() && !key.split('/').some((name) => name === '.' || name === '..');
}

/** RFC 3986: all but unreserved characters are encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

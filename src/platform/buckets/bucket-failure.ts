/** Tells in our words why a store refuses a request. The store's own message may have keys and signatures, so it is not shown. */

/** The most bytes of an answer that are read. */
export const MAX_FAILURE_BYTES = 16 * 1024;

const CURES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'the endpoint has no such bucket',
  AccessDenied:
    'the key of the connection may not do this; allow s3:GetObject, and s3:ListBucket for wildcards',
  AllAccessDisabled: 'the bucket is closed',
  InvalidAccessKeyId: 'the endpoint does not know the key; set the connection again',
  SignatureDoesNotMatch: 'the secret key of the connection is wrong; set the connection again',
  ExpiredToken: 'the session token has expired; set the connection again',
  InvalidToken: 'the session token is not valid; set the connection again',
  InvalidObjectState: 'it is archived; restore it, or copy it to a storage class that is read at once',
  RequestTimeTooSkewed: 'its clock and ours differ by more than it allows',
};

const OF_REGION = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'InvalidRegion',
]);

/**
 * Returns the code of a store's answer, as in AccessDenied, and a cure for people. Either is undefined if there is none. `xml`: the beginning
 * of the answer. `region`: its header x-amz-bucket-region.
 */
export function bucketFailure(
  status: number,
  xml: string,
  region: string | undefined,
): { code: string | undefined; cure: string | undefined } {
  const text = elementOf(xml, 'Code');
  const code = text !== undefined && CODE.test(text) ? text : undefined;
  const isOfRegion = (status >= 300 && status < 400) || OF_REGION.has(code ?? '');
  if (!isOfRegion) return { code, cure: code === undefined ? undefined : CURES[code] };
  const given = region ?? elementOf(xml, 'Region');
  const named = given !== undefined && REGION.test(given) ? given : undefined;
  const place = named === undefined ? 'another region' : `the region ${named}`;
  return { code, cure: `the bucket is in ${place}; set it, and its endpoint, in the connection` };
}

const CODE = /^[A-Za-z0-9.]{1,64}$/;
const REGION = /^[a-z0-9-]{1,40}$/;

/** Returns the text of the first element of this name. */
function elementOf(xml: string, name: string): string | undefined {
  const [, after] = xml.split(`<${name}>`, 2);
  return after?.includes(`</${name}>`) ? after.slice(0, after.indexOf('<')).trim() : undefined;
}

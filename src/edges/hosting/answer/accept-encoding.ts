/** Content negotiation between our two encodings, gzip and identity (RFC 9110 section 12.5.3). */
import { rememberRecent } from '../../../platform/remember-recent.ts';

export type Encoding = 'gzip' | 'identity';

/**
 * Returns the client's preferred encoding. A tie goes to gzip. Undefined if the client accepts neither.
 *
 * Without the header, every encoding is acceptable. We choose identity: a client without the header most likely decodes no gzip.
 * Malformed members are ignored.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  return acceptEncoding === undefined ? 'identity' : chosen(acceptEncoding);
}

const chosen = rememberRecent(chooseBy, { most: 100, maxLength: 100 });

function chooseBy(acceptEncoding: string): Encoding | undefined {
  const weights = parseWeights(acceptEncoding);
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  // An identity that is not in the list is acceptable, but gzip wins if it is in the list and acceptable.
  const identity = weights.get('identity') ?? weights.get('*') ?? Number.MIN_VALUE;
  if (gzip > 0 && gzip >= identity) return 'gzip';
  return identity > 0 ? 'identity' : undefined;
}

const CODING = /^[a-z0-9*-]+$/;
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function parseWeights(list: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const member of list.toLowerCase().split(',')) {
    // Trim blanks before the match, because a pattern with blanks on both sides of a part takes quadratic time.
    const [coding = '', weight = 'q=1', more] = member.split(';', 3).map((part) => part.trim());
    const quality = WEIGHT.exec(weight)?.[1];
    const isUnderstood = CODING.test(coding) && quality !== undefined && more === undefined;
    if (isUnderstood) weights.set(coding, Number(quality));
  }
  return weights;
}

/** Content negotiation between the two encodings in which we can give a file (RFC 9110 section 12.5.3). */

export type Encoding = 'gzip' | 'identity';

/**
 * The client's preferred encoding, gzip where it likes both the same; undefined if it accepts neither.
 *
 * Without the header anything would be acceptable, and we choose identity: who does not speak of encodings
 * most likely decodes none. Members that cannot be understood are ignored.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined) return 'identity';
  const weights = parseWeights(acceptEncoding);
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  // What is not listed is still acceptable as identity, but only if nothing that is listed can be had.
  const identity = weights.get('identity') ?? weights.get('*') ?? Number.MIN_VALUE;
  if (gzip > 0 && gzip >= identity) return 'gzip';
  return identity > 0 ? 'identity' : undefined;
}

const CODING = /^[a-z0-9*-]+$/;
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function parseWeights(list: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const member of list.toLowerCase().split(',')) {
    // Blanks are trimmed and not matched: an expression with blanks on both sides of a part takes quadratic time.
    const [coding = '', weight = 'q=1', more] = member.split(';', 3).map((part) => part.trim());
    const quality = WEIGHT.exec(weight)?.[1];
    const isUnderstood = CODING.test(coding) && quality !== undefined && more === undefined;
    if (isUnderstood) weights.set(coding, Number(quality));
  }
  return weights;
}

/** Finds the parts that a commit names. Parts that it does not name are left out. */
import { Refusal } from '../../../platform/refusal.ts';
import type { StoredPart } from './part-store.ts';

export interface NamedPart {
  readonly part: number;
  /** The digest of the part's answer. */
  readonly digest: string;
}

/** The parts by number and digest, or the counts of all parts of the session. */
export type WantedParts =
  | { readonly parts: readonly NamedPart[] }
  | { readonly partCount: number; readonly urlCount: number };

/** A refusal lists at most this many missing parts, and as many different ones. */
const MAX_LISTED = 100;
/** The most numbers in each sentence of its message. */
const MAX_TOLD = 10;

/** Returns the wanted parts. `stored` and the result are in the order of part numbers. Throws Refusal CONFLICT. */
export function chooseParts(stored: readonly StoredPart[], wanted: WantedParts): readonly StoredPart[] {
  if ('partCount' in wanted) {
    refuseOtherCounts(stored, wanted);
    return stored;
  }
  const byNumber = new Map(stored.map((part) => [part.part, part]));
  const missing = wanted.parts.filter(({ part }) => !byNumber.has(part));
  const different = wanted.parts.filter(({ part, digest }) => {
    const found = byNumber.get(part);
    return found !== undefined && found.digest !== digest;
  });
  if (missing.length > 0 || different.length > 0) {
    const details = { missing: numbersOf(missing), different: numbersOf(different) };
    const message =
      sentenceOf('Parts that have not come', missing) +
      sentenceOf('Parts with another digest', different) +
      'Send these again.';
    throw new Refusal('CONFLICT', message, { details });
  }
  const named = new Set(wanted.parts.map(({ part }) => part));
  return stored.filter(({ part }) => named.has(part));
}

function refuseOtherCounts(
  stored: readonly StoredPart[],
  { partCount, urlCount }: { readonly partCount: number; readonly urlCount: number },
): void {
  const urls = stored.reduce((sum, part) => sum + part.urlCount, 0);
  if (stored.length === partCount && urls === urlCount) return;
  const message = `The upload session has ${stored.length} parts with ${urls} URLs, and not ${partCount} with ${urlCount}.`;
  throw new Refusal('CONFLICT', message, { details: { partCount: stored.length, urlCount: urls } });
}

function sentenceOf(subject: string, parts: readonly NamedPart[]): string {
  if (parts.length === 0) return '';
  const more = parts.length > MAX_TOLD ? ` and ${parts.length - MAX_TOLD} more` : '';
  return `${subject}: ${numbersOf(parts).slice(0, MAX_TOLD).join(', ')}${more}. `;
}

function numbersOf(parts: readonly NamedPart[]): number[] {
  return parts
    .map(({ part }) => part)
    .sort((a, b) => a - b)
    .slice(0, MAX_LISTED);
}

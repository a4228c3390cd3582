/** The normative path for one entry at a time, and the result that a batch of such entries must give. */
import { crc32 } from 'node:zlib';
import { parseEntry } from '../../../src/core/sitemap/parse-entry.ts';
import { namespacesOf, renderEntry } from '../../../src/core/sitemap/render-entry.ts';
import type { Violation } from '../../../src/core/sitemap/violation.ts';
import type { Fragment } from '../../../src/features/sites/fragment.ts';
import {
  ENTRIES_PER_FRAGMENT,
  MAX_LISTED_VIOLATIONS,
  type RenderResult,
} from '../../../src/features/uploads/fragment.ts';

/** The verdict of the normative path about an entry at index 0 of its upload. */
export type Verdict =
  | { readonly kind: 'valid'; readonly xml: string; readonly namespaces: number; readonly isNews: boolean }
  | { readonly kind: 'invalid'; readonly violations: readonly Violation[] }
  | { readonly kind: 'malformed' };

export function verdictOn(text: string): Verdict {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'malformed' };
  }
  const parsed = parseEntry(value, 0);
  if ('violations' in parsed) return { kind: 'invalid', violations: parsed.violations };
  const { entry } = parsed;
  return {
    kind: 'valid',
    xml: renderEntry(entry),
    namespaces: namespacesOf(entry),
    isNews: entry.news !== undefined,
  };
}

/**
 * A result without what may differ between the paths. Length and checksum of the XML stand for its compressed bytes, and for its
 * digest, which has a judge of its own (`entry-hashes.test.ts`).
 */
export type Outcome =
  | { kind: 'fragments'; fragments: OutcomeFragment[] }
  | { kind: 'violations'; violations: readonly Violation[]; count: number }
  | { kind: 'malformed'; index: number };
type OutcomeFragment = Omit<Fragment, 'deflated'>;

export function outcomeOf({ entriesByPath: _, ...result }: RenderResult): Outcome {
  if (result.kind === 'malformed') return { kind: 'malformed', index: result.index };
  if (result.kind === 'violations') {
    const { kinds: _, ...violations } = result;
    return violations;
  }
  return {
    kind: 'fragments',
    fragments: result.fragments.map(({ bytes, crc, entries, newsEntries, namespaces }) => ({
      ...{ bytes, crc, entries, newsEntries, namespaces },
    })),
  };
}

/** The outcome for successive entries, the first of which has this index in its upload. */
export function expectedOutcome(verdicts: readonly Verdict[], firstIndex: number): Outcome {
  const violations: Violation[] = [];
  let isMalformedAt: number | undefined;
  for (const [i, verdict] of verdicts.entries()) {
    if (verdict.kind === 'malformed') {
      isMalformedAt = firstIndex + i;
      break;
    }
    if (verdict.kind === 'invalid')
      violations.push(...verdict.violations.map((one) => movedTo(firstIndex + i, one)));
  }
  if (violations.length > 0) {
    return {
      kind: 'violations',
      violations: violations.slice(0, MAX_LISTED_VIOLATIONS),
      count: violations.length,
    };
  }
  if (isMalformedAt !== undefined) return { kind: 'malformed', index: isMalformedAt };
  const valid = verdicts.filter((verdict) => verdict.kind === 'valid');
  const perFragment = Map.groupBy(valid.keys(), (i) => Math.floor((firstIndex + i) / ENTRIES_PER_FRAGMENT));
  return {
    kind: 'fragments',
    fragments: Array.from(perFragment.values(), (indices) => fragmentOf(indices.map((i) => valid[i]!))),
  };
}

/** The same violation of the entry with another index. */
function movedTo(index: number, violation: Violation): Violation {
  return { ...violation, field: violation.field.replace('urls[0]', `urls[${index}]`) };
}

function fragmentOf(entries: readonly (Verdict & { kind: 'valid' })[]): OutcomeFragment {
  const xml = Buffer.from(entries.map((entry) => entry.xml).join(''));
  return {
    bytes: xml.length,
    crc: crc32(xml),
    entries: entries.length,
    newsEntries: entries.filter((entry) => entry.isNews).length,
    namespaces: entries.reduce((all, entry) => all | entry.namespaces, 0),
  };
}

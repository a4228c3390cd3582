/**
 * Divides the sitemaps of a site into sections, as a B-tree divides keys into leaves. A section that has become too large is cut into equal
 * sections. When few sitemaps are left in many sections, the whole site is divided anew.
 */
import type { Transaction } from '../../../platform/postgres/database.ts';
import type { Site } from '../site.ts';
import { type ChangedSection, listChangedSections, type SectionBound } from './section-store.ts';

/** The size of a section that was just cut. In a site of 10,000 sitemaps, site.json and a section then have about the same length. */
const SECTION_SITEMAPS = 128;
/** A former section is cut if it has more than MOST_TIMES × SECTION_SITEMAPS sitemaps. */
const MOST_TIMES = 2;
/** A site is divided from DIVIDED_FROM_TIMES × SECTION_SITEMAPS sitemaps on. */
const DIVIDED_FROM_TIMES = 2;
/** A divided site is whole again below DIVIDED_UNTIL_TIMES × SECTION_SITEMAPS sitemaps. */
const DIVIDED_UNTIL_TIMES = 0.5;
/** A site whose sections have fewer than LEAST_PART × SECTION_SITEMAPS sitemaps on average is divided anew. */
const LEAST_PART = 0.25;

/** Whether the new site is divided into sections. Only tests give `sectionSitemaps`. */
export function isDivided(
  sitemaps: number,
  former: Pick<Site, 'sections'> | undefined,
  sectionSitemaps = SECTION_SITEMAPS,
): boolean {
  const isNow = former?.sections !== undefined;
  return sitemaps >= sectionSitemaps * (isNow ? DIVIDED_UNTIL_TIMES : DIVIDED_FROM_TIMES);
}

export interface Division {
  /** All sections, in order. */
  readonly bounds: readonly SectionBound[];
  readonly changed: readonly ChangedSection[];
}

/** A section of the former site. */
interface FormerSection extends SectionBound {
  readonly sitemaps: number;
}

/** Divides the sitemaps of a domain into sections. `former` is empty if the site was not divided, or must be written as a whole. */
export async function divide(
  transaction: Transaction,
  domainId: string,
  former: readonly FormerSection[],
  sectionSitemaps = SECTION_SITEMAPS,
): Promise<Division> {
  const whole: SectionBound[] = [{ from: '', digest: undefined }];
  let bounds: readonly SectionBound[] = former.length > 0 ? former : whole;
  let changed = await listChangedSections(transaction, domainId, bounds);
  if (isSparse(former, changed, sectionSitemaps)) {
    bounds = whole;
    changed = await listChangedSections(transaction, domainId, bounds);
  }
  const cut = cutCrowded(bounds, changed, sectionSitemaps);
  if (cut.length === bounds.length) return { bounds, changed };
  return { bounds: cut, changed: await listChangedSections(transaction, domainId, cut) };
}

function isSparse(
  former: readonly FormerSection[],
  changed: readonly ChangedSection[],
  sectionSitemaps: number,
): boolean {
  if (former.length < 2) return false;
  const now = new Map(changed.map(({ at, live }) => [at, live.length]));
  const sitemaps = former.reduce((sum, { sitemaps }, at) => sum + (now.get(at) ?? sitemaps), 0);
  return sitemaps < former.length * sectionSitemaps * LEAST_PART;
}

function cutCrowded(
  bounds: readonly SectionBound[],
  changed: readonly ChangedSection[],
  sectionSitemaps: number,
): SectionBound[] {
  const changedAt = new Map(changed.map(({ at, live }) => [at, live]));
  return bounds.flatMap((bound, at) => {
    const live = changedAt.get(at) ?? [];
    const isNew = bound.digest === undefined;
    if (live.length <= sectionSitemaps * (isNew ? 1 : MOST_TIMES)) return [bound];
    const each = Math.ceil(live.length / Math.round(live.length / sectionSitemaps));
    const starts = live.filter((_, i) => i % each === 0).map(({ name }) => name);
    return [bound.from, ...starts.slice(1)].map((from) => ({ from, digest: undefined }));
  });
}

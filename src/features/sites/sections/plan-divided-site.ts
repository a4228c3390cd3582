/**
 * Plans a site with many sitemaps (docs/decisions/0046). Only sections that have changed are written, with their parts of the index:
 *
 *   former site.json → sections with changed rows → their former objects → plan → sections and index → site.json
 */
import { type Transaction, whileIdle } from '../../../platform/postgres/database.ts';
import type { DueSite, WriteSiteOptions } from '../due-site.ts';
import { mayNeedFormer } from '../former-uploads.ts';
import { IndexPart, untilNow } from '../index-file.ts';
import type { PlanOptions, SitePlan } from '../plan-site.ts';
import { type Former, formerOf, type NewObject, planSitemaps } from '../plan-sitemaps.ts';
import { feedOf, liveRecent, recentWrittenAt } from '../recent-sitemap.ts';
import { type IndexVolume, type Site, type SiteSection, sectionKey, siteOrigin } from '../site.ts';
import { type FormerUpload, listFormerUploads } from '../site-store.ts';
import { MAX_LISTINGS_BYTES } from '../small-files.ts';
import { type Division, divide } from './divide.ts';
import {
  describePiece,
  type IndexedSection,
  type KeptSection,
  planIndex,
  readPieces,
} from './divided-index.ts';
import { readSitemaps } from './read-sections.ts';
import type { ChangedSection } from './section-store.ts';

interface DividedSources extends Division {
  /** The former site. Its `sitemaps` are those of the changed sections, and maybe others. */
  readonly former: DueSite['former'];
  /** The newest comes first. */
  readonly replaced: readonly FormerUpload[];
  /** The sections that may stay as they are. */
  readonly kept: readonly KeptSection[];
  /** The volumes that have the pieces of the kept sections. */
  readonly volumes: readonly IndexVolume[];
}

export async function readDividedSources(
  { storage, keepReplacedMs, sectionSitemaps, ...origins }: WriteSiteOptions,
  transaction: Transaction,
  { hostname, domain, former }: DueSite,
  isSecure: boolean,
): Promise<DividedSources> {
  const site = former?.site;
  const origin = siteOrigin(origins, hostname, isSecure);
  const known = site?.origin === origin ? (site.sections ?? []) : [];
  const divideInto = (sections: readonly SiteSection[]) =>
    divide(transaction, domain.id, sections, sectionSitemaps);
  let division = await divideInto(known);
  if (former === undefined || site === undefined) {
    const replaced = former && (await listFormerUploads(transaction, [domain.id], keepReplacedMs));
    return { ...division, former, replaced: replaced?.get(domain.id) ?? [], kept: [], volumes: [] };
  }
  const read = () =>
    Promise.all([
      known.length === 0 ? [] : readPieces(storage, site, isChanged(division, site)),
      readSitemaps(storage, site, isChanged(division, site)),
    ]);
  let [kept, sitemaps] = await whileIdle(transaction, read);
  if (kept === undefined) {
    kept = [];
    division = await divideInto([]);
    sitemaps = await whileIdle(transaction, () => readSitemaps(storage, site));
  }
  const partly = { ...former, site: { ...site, sitemaps } };
  const live = division.changed.flatMap((section) => section.live);
  const replaced = mayNeedFormer(partly, live)
    ? await listFormerUploads(transaction, [domain.id], keepReplacedMs)
    : undefined;
  const volumes = kept.length > 0 ? (site.dividedIndex?.volumes ?? []) : [];
  return { ...division, former: partly, replaced: replaced?.get(domain.id) ?? [], kept, volumes };
}

/** Returns a function that selects the former sections whose range of names overlaps with the range of a changed section. */
function isChanged({ bounds, changed }: Division, { sections = [] }: Site) {
  const ranges = changed.map(({ at }) => ({ start: bounds[at]!.from, end: bounds[at + 1]?.from }));
  return ({ from }: SiteSection, at: number) => {
    const next = sections[at + 1]?.from;
    return ranges.some(
      ({ start, end }) => (next === undefined || next > start) && (end === undefined || end > from),
    );
  };
}

export function planDividedSite(
  site: DueSite,
  { bounds, changed, former, replaced, kept, volumes }: DividedSources,
  options: PlanOptions & Pick<WriteSiteOptions, 'volumeBytes'>,
  isSecure: boolean,
): SitePlan {
  const { hostname, domain } = site;
  const { generation } = domain;
  const origin = siteOrigin(options, hostname, isSecure);
  const before = formerOf({ former }, replaced, origin);
  const changedAt = new Map(changed.map((section) => [section.at, section]));
  const keptFrom = new Map(kept.map((each) => [each.section.from, each]));
  const planned = bounds.map(({ from }, at) => {
    const now = changedAt.get(at);
    if (now === undefined) return { ...keptFrom.get(from)!, isNew: false, objects: [], former: [] };
    return planSection({ hostname, generation, from }, now, before, {
      origin,
      keepReplacedMs: options.keepReplacedMs,
    });
  });
  const head = new IndexPart(true);
  head.noteRemoval(domain.shrunkAt);
  head.noteRemoval(recentWrittenAt(domain.recent));
  const recent = planSitemaps(liveRecent(domain.recent), before, head, {
    origin,
    keepReplacedMs: options.keepReplacedMs,
    room: MAX_LISTINGS_BYTES,
  });
  const times = [head.lastModified, ...planned.map(({ section }) => section.lastModified)];
  const index = planIndex(
    { hostname, generation },
    head.deflate(),
    planned,
    volumes,
    // A section may have been written while a clock was ahead.
    untilNow(times.reduce((a, b) => (a > b ? a : b))),
    options.volumeBytes,
  );
  return {
    objects: [...recent.objects, ...planned.flatMap(({ objects }) => objects), ...index.objects],
    uploads: [],
    hasIndexObjects: true,
    former: planned.flatMap((each) => each.former),
    origin,
    compose: (contents) => ({
      hostname,
      generation,
      ...index.described,
      sitemaps: recent.compose(contents),
      sections: planned.map(({ section }) => section),
      origin,
      ...feedOf(domain.recent),
      indexNowKeys: [...domain.indexNowKeys],
    }),
  };
}

interface PlannedSection extends IndexedSection {
  readonly objects: readonly NewObject[];
  readonly former: SitePlan['former'];
}

function planSection(
  { hostname, generation, from }: Pick<SiteSection, 'generation' | 'from'> & Pick<Site, 'hostname'>,
  { at: n, digest, live }: ChangedSection,
  before: Former,
  terms: { readonly origin: string; readonly keepReplacedMs: number },
): PlannedSection {
  const part = new IndexPart();
  const planned = planSitemaps(live, before, part, { ...terms, room: 0 });
  const piece = part.deflate();
  const section: SiteSection = {
    from,
    generation,
    n,
    sitemaps: live.length,
    digest,
    index: describePiece(piece),
    lastModified: part.lastModified,
  };
  const content = {
    sitemaps: planned.compose(new Map()).map(({ former, ...sitemap }) => ({
      ...sitemap,
      ...(former.length > 0 && { former }),
    })),
  };
  const object = {
    key: sectionKey(hostname, section),
    uploads: [],
    bytes: () => Buffer.from(JSON.stringify(content)),
  };
  return {
    section,
    deflated: piece.deflated,
    isNew: true,
    objects: [...planned.objects, object],
    former: planned.former,
  };
}

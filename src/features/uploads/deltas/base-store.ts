/** The SQL of the generation that a delta changes. */
import type { Queryable } from '../../../platform/postgres/database.ts';
import { isFree } from '../../../platform/postgres/lease.ts';
import { firstRow } from '../../../platform/postgres/rows.ts';
import { GENERATION, type LiveGeneration, type SitemapKey } from '../upload-store.ts';

export interface DeltaBase extends LiveGeneration {
  /** The id of the last generation that is no delta: this generation, or an earlier one. */
  readonly deltaOf: string;
  /** Whether deltas are held away from the sitemap (`hold-placing.ts`). */
  readonly isPlacing: boolean;
}

/** Returns the live generation. Returns undefined if there is no such sitemap. */
export function findDeltaBase(queryable: Queryable, { domainId, sitemapName }: SitemapKey) {
  return firstRow<DeltaBase>(queryable, {
    name: 'find-delta-base',
    text: `SELECT ${GENERATION}, coalesce(u.delta_of, u.id) AS "deltaOf", NOT ${isFree('s.placing_until')} AS "isPlacing"
             FROM sitemaps s JOIN uploads u ON u.id = s.upload_id WHERE s.domain_id = $1 AND s.name = $2`,
    values: [domainId, sitemapName],
  });
}

/**
 * The limits of a plan that an account has nearly reached. A plan with few domains is meant to be used up, so its limit of domains makes no
 * need.
 */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { onlyRow } from '../../platform/postgres/rows.ts';
import { counted } from '../../platform/words.ts';
import type { PlanLimits } from '../accounts/plans.ts';
import type { Need } from './need.ts';

const NEARLY = 0.9;
const FEW_DOMAINS = 10;

interface Usage {
  readonly domains: number;
  readonly storedBytes: number;
  /** The largest of the live uploads that have nearly as many URLs as the plan allows. Null: there is none. */
  readonly largest: {
    readonly id: string;
    readonly hostname: string;
    readonly sitemapName: string;
    readonly urlCount: number;
  } | null;
}

export async function findPlanNeeds(
  queryable: Queryable,
  accountId: string,
  { domains, urlsPerUpload, storedBytes }: PlanLimits,
): Promise<Need[]> {
  const usage = await readUsage(queryable, accountId, Math.ceil(NEARLY * urlsPerUpload));
  const { largest } = usage;
  const needs: (Need | false)[] = [
    domains >= FEW_DOMAINS &&
      usage.domains >= NEARLY * domains && {
        ...about('planDomains'),
        title: `${counted(usage.domains)} of ${counted(domains)} domains are used`,
        detail: 'Your plan allows no more. Remove domains, or ask for a larger plan',
        state: 'Plan nearly full',
      },
    largest !== null && {
      ...about('planUrls'),
      domain: { id: largest.id, hostname: largest.hostname },
      sitemapName: largest.sitemapName,
      title: `“${shownSitemapName(largest.sitemapName)}” has ${counted(largest.urlCount)} of ${counted(urlsPerUpload)} URLs`,
      detail: `${largest.hostname} · Your plan allows no more in one upload. Split it, or ask for a larger plan`,
      state: 'Plan nearly full',
    },
    usage.storedBytes >= NEARLY * storedBytes && {
      ...about('planStorage'),
      title: `${Math.floor((100 * usage.storedBytes) / storedBytes)}% of your storage is used`,
      detail: 'When it is full, no sitemap can grow. Delete some, or ask for a larger plan',
      state: 'Plan nearly full',
    },
  ];
  return needs.filter((need) => need !== false);
}

const about = (kind: Need['kind']) => ({
  ...{ kind, domain: null, sitemapName: null, uploadId: null, since: null, deadline: null },
  severity: 'waiting' as const,
  target: 'plan' as const,
});

/** Reads the usage of the account. Looks for large uploads only in domains with at least `manyUrls` URLs. */
function readUsage(queryable: Queryable, accountId: string, manyUrls: number) {
  return onlyRow<Usage>(
    queryable,
    slowStatement(
      `WITH usage AS MATERIALIZED (
         SELECT count(*) AS domains, coalesce(sum(stored_bytes), 0)::bigint AS bytes,
                array_agg(id) FILTER (WHERE url_count >= $2) AS large
           FROM domains WHERE account_id = $1
       )
       SELECT domains, bytes AS "storedBytes",
              (SELECT json_build_object('id', d.id, 'hostname', d.hostname, 'sitemapName', s.name, 'urlCount', u.url_count)
                 FROM unnest(usage.large) AS l (id) JOIN domains d USING (id)
                      JOIN sitemaps s ON s.domain_id = d.id JOIN uploads u ON u.id = s.upload_id
                WHERE u.url_count >= $2 ORDER BY u.url_count DESC, d.position LIMIT 1) AS largest
         FROM usage`,
      [accountId, manyUrls],
    ),
  );
}

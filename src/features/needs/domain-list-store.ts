/** The SQL of the list of domains on the first page: ordered, for example by urgency, searched by name, and filtered by state. */
import { canonicalHostname } from '../../platform/dns/dns-name.ts';
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { Domain } from '../domains/domain.ts';
import { COUNTS } from '../domains/domain-counts-store.ts';
import { FOUND_CAUSES, NO_URGENCY } from './causes.ts';

/** `needsYou`: domains with a need. `live`: active domains without a need. */
export const DOMAIN_FILTERS = ['all', 'needsYou', 'live'] as const;
/** `urgency`: domains with the most urgent need first, then the newest domains. */
export const DOMAIN_ORDERS = ['urgency', 'name', 'urls', 'newest'] as const;

/** Visits are kept by file. In a domain with more files than this, only the day of the last visit is read. */
const FEW_FILES = 200;

export interface DomainList {
  readonly accountId: string;
  /** A part of the hostname. */
  readonly search: string;
  readonly filter: (typeof DOMAIN_FILTERS)[number];
  readonly order: (typeof DOMAIN_ORDERS)[number];
}

export interface ListedDomain extends Pick<Domain, 'id' | 'hostname' | 'status' | 'sslStatus'> {
  /** Whether the last attempt to get or renew the certificate of the domain failed. */
  readonly isCertificateFailing: boolean;
  readonly urlCount: number;
  readonly lastUpdated: Date | null;
  /** The last visit of a crawler. Null: no visit is recorded, or the domain has more than FEW_FILES files. */
  readonly lastCrawlAt: Date | null;
  /** The day of the last visit in UTC, as in 2026-01-15. */
  readonly lastCrawlDay: string | null;
  /** The place in the list, as `listDomains` takes it. */
  readonly place: string;
}

const FILTERS: Readonly<Record<DomainList['filter'], string>> = {
  all: 'true',
  needsYou: 'needy.urgency IS NOT NULL',
  live: `d.status = 'active' AND needy.urgency IS NULL`,
};

/** The SQL of a number and a text that order the list, both ascending. The newest domain comes first among equals. */
const ORDERS: Readonly<Record<DomainList['order'], readonly [number: string, text: string]>> = {
  urgency: [`coalesce(needy.urgency, ${NO_URGENCY})`, `''`],
  name: ['0', 'd.hostname'],
  urls: ['-d.url_count', `''`],
  newest: ['0', `''`],
};

export function listDomains(
  queryable: Queryable,
  { accountId, search, filter, order }: DomainList,
  limit: number,
  after: string | undefined,
): Promise<ListedDomain[]> {
  const [number, text] = ORDERS[order];
  const [afterNumber, afterPosition, afterText] = after?.split(' ') ?? [];
  return allRows<ListedDomain>(
    queryable,
    slowStatement(
      `WITH needy AS MATERIALIZED (
         SELECT domain_id, min(urgency) AS urgency FROM (${FOUND_CAUSES}) AS n GROUP BY domain_id
       ), listed AS MATERIALIZED (
         SELECT * FROM (SELECT d.*, (${number})::bigint AS number, (${text}) COLLATE "C" AS text
                          FROM domains d LEFT JOIN needy ON needy.domain_id = d.id
                         WHERE d.account_id = $1 AND ${FILTERS[filter]}
                           AND EXISTS (SELECT FROM unnest($2::text[]) AS t (text) WHERE strpos(d.hostname, t.text) > 0)) AS d
          WHERE $4::bigint IS NULL OR (number, text, -position) > ($4, $5::text COLLATE "C", -$6::bigint)
          ORDER BY number, text, -position LIMIT $3
       )
       SELECT d.id, d.hostname, d.status, d.ssl_status AS "sslStatus",
              (SELECT count(*) > 0 FROM certificates WHERE domain_id = d.id AND last_error IS NOT NULL) AS "isCertificateFailing",
              c.urls AS "urlCount",
              (SELECT max(updated_at) FROM sitemaps WHERE domain_id = d.id) AS "lastUpdated",
              CASE WHEN c.files <= ${FEW_FILES} THEN (SELECT max(last_at) FROM file_visits WHERE domain_id = d.id) END AS "lastCrawlAt",
              (SELECT to_char(day, 'YYYY-MM-DD') FROM crawls WHERE domain_id = d.id ORDER BY day DESC LIMIT 1) AS "lastCrawlDay",
              d.number || ' ' || d.position || ' ' || d.text AS place
         FROM listed d CROSS JOIN LATERAL ${COUNTS} AS c
        ORDER BY d.number, d.text, -d.position`,
      [accountId, textsOf(search), limit, afterNumber ?? null, afterText ?? null, afterPosition ?? null],
    ),
  );
}

/** Stored hostnames are in lower case and A-labels. People may type a hostname in another form. */
function textsOf(search: string): string[] {
  return [search.toLowerCase(), canonicalHostname(search)].filter((text) => text !== undefined);
}

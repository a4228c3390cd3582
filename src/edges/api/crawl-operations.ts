/** Operations that show which files of a domain crawlers fetched, and the errors that they got (docs/decisions/0066). */
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import { CRAWLERS } from '../../features/crawls/crawler.ts';
import type { ErrorFilter, FileError, FileVisit } from '../../features/crawls/file-crawl-store.ts';
import type { Crawls } from '../../features/crawls/open-crawls.ts';
import type { Domain } from '../../features/domains/domain.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import { type SiteOrigins, siteOrigin } from '../../features/sites/site.ts';
import type { Cell } from '../../platform/csv.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { pagesOf } from '../../platform/pages-of.ts';
import { invalidField } from '../../platform/refusal.ts';
import { csvOf, formOf, formQuery } from './answer-form.ts';
import { type Call, operation, tagged } from './operation.ts';
import {
  answeredPage,
  count,
  described,
  orCsv,
  PAGE_QUERY,
  type Shown,
  shownAs,
  text,
  time,
} from './shapes.ts';

export interface CrawlNeeds extends SiteOrigins {
  readonly crawls: Crawls;
  readonly ownDomain: OwnDomain;
}

const FORMS = ['json', 'csv'] as const;
const CSV_ROWS_AT_ONCE = 1_000;
const ORDERS = ['file', 'newest'] as const;
type Order = (typeof ORDERS)[number];
const crawler = described(
  z.enum(CRAWLERS),
  'The kind that the client claimed by its User-Agent. Anybody can claim any.',
);
const file = described(text, 'The name of the file, as in `sitemap.xml`. `.xml.gz` counts as `.xml`.');

const visitShape = z
  .object({
    file,
    url: described(text, 'The public address of the file.'),
    crawler,
    status: described(
      count,
      'The status of the last answer; 304 if the file was unchanged since the visit before.',
    ),
    lastVisitAt: time,
    requests: described(count, 'All visits of this kind that are counted.'),
  })
  .meta({ id: 'FileVisit' });

const errorShape = z
  .object({
    day: described(z.iso.date(), 'In UTC.'),
    file: described(text.nullable(), 'Null for all files that are not counted by name.'),
    url: text.nullable(),
    missing: described(z.boolean(), 'Whether the domain had no such file.'),
    crawler,
    status: described(count, 'From 400.'),
    requests: count,
    lastAt: described(time, 'When the last of these answers was given.'),
  })
  .meta({ id: 'FileError' });

const NARROWED = {
  file: described(text, 'Only this file.'),
  crawler: described(text, 'Only this kind of crawler.'),
  form: formQuery(FORMS),
};
const VISIT = {
  file: 'sitemap-products.2.xml',
  url: 'https://sitemaps.example.com/sitemap-products.2.xml',
  crawler: 'Googlebot',
  status: 304,
  lastVisitAt: '2026-01-15T10:30:00Z',
  requests: 41,
};

export const crawlOperations = tagged('Crawls', [
  operation('get', '/api/domains/{id}/crawls', {
    id: 'listCrawls',
    access: { actions: ['read'], to: 'whole domain' },
    summary: 'Lists the last visit of each kind of crawler to each file',
    description:
      'By file and kind, or the newest first. Counts are some two minutes old. Visits of the last 400 days are kept. Answers of 400 and above are no visits.',
    query: { ...PAGE_QUERY, ...NARROWED, order: described(z.enum(ORDERS), 'The default is `file`.') },
    answer: orCsv(
      answeredPage('A page of visits.', visitShape, VISIT),
      'All visits. The first row has the names of the columns, which are those of the members.',
      'file,url,crawler,status,lastVisitAt,requests\r\n',
    ),
    async run(needs: CrawlNeeds, { caller, path, page, request, response }) {
      const domain = await needs.ownDomain(caller.accountId, path.id);
      const { status: _, ...filter } = parseFilter(request.query);
      const origin = originOf(needs, domain);
      const list = {
        columns: Object.keys(visitShape.shape),
        show: (visit: FileVisit) => describeVisit(visit, origin),
      };
      if (orderOf(request.query) === 'newest') {
        return pageOrCsv({ page, request, response }, domain, {
          ...{ ...list, name: 'newest-visits' },
          read: (limit, after) => needs.crawls.listNewestVisits(domain.id, filter, limit, after),
          positionOf: ({ lastAt, file, crawler }) => ({ lastAt, file, crawler }),
        });
      }
      return pageOrCsv({ page, request, response }, domain, {
        ...{ ...list, name: 'visits' },
        read: (limit, after) => needs.crawls.listVisits(domain.id, filter, limit, after),
        positionOf: ({ file, crawler }) => ({ file, crawler }),
      });
    },
  }),
  operation('get', '/api/domains/{id}/crawls/errors', {
    id: 'listCrawlErrors',
    access: { actions: ['read'], to: 'whole domain' },
    summary: 'Lists errors that crawlers got, and the missing files that they asked for',
    description:
      'Of the last 30 days, the newest first. Of missing files, only names that a site could have are counted, and at most 200 a day by name.',
    query: { ...PAGE_QUERY, ...NARROWED, status: described(text, 'Only this status, as in `404`.') },
    answer: orCsv(
      answeredPage('A page of errors.', errorShape, {
        day: '2026-01-15',
        file: 'sitemap-news.xml',
        url: 'https://sitemaps.example.com/sitemap-news.xml',
        missing: true,
        crawler: 'Bingbot',
        status: 404,
        requests: 3,
        lastAt: '2026-01-15T10:30:00Z',
      }),
      'All errors. The first row has the names of the columns, which are those of the members.',
      'day,file,url,missing,crawler,status,requests,lastAt\r\n',
    ),
    async run(needs: CrawlNeeds, { caller, path, page, request, response }) {
      const domain = await needs.ownDomain(caller.accountId, path.id);
      const filter = parseFilter(request.query);
      const origin = originOf(needs, domain);
      return pageOrCsv({ page, request, response }, domain, {
        name: 'errors',
        columns: Object.keys(errorShape.shape),
        read: (limit, after) => needs.crawls.listErrors(domain.id, filter, limit, after),
        positionOf: ({ day, file, crawler, status }: FileError) => ({ day, file, crawler, status }),
        show: (error) => describeError(error, origin),
      });
    },
  }),
]);

/** Throws Refusal. */
function orderOf({ order = ORDERS[0] }: Readonly<Record<string, unknown>>): Order {
  const known = ORDERS.find((one) => one === order);
  if (known === undefined) throw invalidField('order', order, `must be one of ${ORDERS.join(', ')}`);
  return known;
}

interface ListOfDomain<Row, Described> {
  /** The name of the list. The name of its CSV file begins with it. */
  readonly name: string;
  /** The columns of the CSV file, in the order of the members that `show` returns. */
  readonly columns: readonly string[];
  read(limit: number, after: Row | undefined): Promise<readonly Row[]>;
  /** Returns the members of a row that `read` needs as `after`. */
  positionOf(row: Row): object;
  show(row: Row): Described;
}

/** Answers a page or, if the request asks for CSV, the whole list. */
function pageOrCsv<Row, Described extends Readonly<Record<string, Cell>>>(
  { page, request, response }: Pick<Call<string, unknown>, 'page' | 'request' | 'response'>,
  { id, hostname }: Domain,
  { name, columns, read, positionOf, show }: ListOfDomain<Row, Described>,
) {
  if (formOf(request, response, FORMS) === 'csv') {
    const pages = pagesOf(read, CSV_ROWS_AT_ONCE);
    return csvOf(`${name}-${hostname}.csv`, columns, pages, (row) => Object.values(show(row)));
  }
  return page({
    list: `${name} of ${id}`,
    read: (limit, after) => read(limit, after === undefined ? undefined : JSON.parse(after)),
    positionOf: (row) => JSON.stringify(positionOf(row)),
    show,
  });
}

/** Throws Refusal. */
function parseFilter(query: Readonly<Record<string, unknown>>): ErrorFilter {
  const status = queryText(query, 'status');
  if (status !== undefined && !/^[1-5]\d\d$/.test(status)) {
    throw invalidField('status', status, 'must be a status such as 404');
  }
  return {
    file: queryText(query, 'file'),
    crawler: queryText(query, 'crawler'),
    status: status === undefined ? undefined : Number(status),
  };
}

function originOf(origins: SiteOrigins, { hostname, sslStatus }: Domain): string {
  return siteOrigin(origins, hostname, sslStatus === 'active');
}

function describeVisit(visit: FileVisit, origin: string): Shown<typeof visitShape> {
  return shownAs(visitShape, { ...visit, url: `${origin}/${visit.file}`, lastVisitAt: visit.lastAt });
}

function describeError(
  { day, file, crawler, status, lastAt, requests }: FileError,
  origin: string,
): Shown<typeof errorShape> {
  return {
    day,
    ...(file === '' ? { file: null, url: null } : { file, url: `${origin}/${file}` }),
    missing: status === 404,
    crawler,
    status,
    requests,
    lastAt: isoSeconds(lastAt),
  };
}

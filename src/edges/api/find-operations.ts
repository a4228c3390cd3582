/** The operation that finds a URL (docs/decisions/0056). */
import { z } from 'zod';
import {
  DEFAULT_SITEMAP,
  givenSitemapName,
  isSitemapName,
  shownSitemapName,
} from '../../core/sitemap/file-names.ts';
import { queryText, requiredQueryText } from '../../core/web/query-text.ts';
import { hasSitemap, requireTarget } from '../../features/accounts/key-scope.ts';
import type { FoundEntry } from '../../features/find/find-url.ts';
import { DIFFERENCES } from '../../features/find/near-urls.ts';
import { type Find, type FoundPlace, fileNameOf } from '../../features/find/open-find.ts';
import type { PastChange } from '../../features/find/url-history.ts';
import { type SiteOrigins, siteOrigin } from '../../features/sites/site.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { operation, tagged } from './operation.ts';
import { answered, count, described, id, type Shown, text, time } from './shapes.ts';

export interface FindNeeds extends SiteOrigins {
  readonly find: Find;
}

const placeMembers = {
  domainId: id('domain'),
  domain: described(text, 'The hostname.'),
  sitemapName: described(text, '`default` for the unnamed sitemap.'),
  generation: described(count, 'The one that is live.'),
  file: z.object({
    n: described(count, 'Its number in the sitemap, from 1.'),
    url: described(text, 'Its public address.'),
    lastmod: described(time, 'When it last changed.'),
  }),
  entry: described(text, 'The `<url>` element as it is published.'),
};

const pastShape = z.object({
  generation: count,
  publishedAt: time,
  by: described(text.nullable(), 'The name of the key or the person; null if it is not known.'),
  others: described(count, 'How many other URLs it treated alike.'),
});

const pastMembers = {
  added: described(
    pastShape.nullable(),
    'The generation that added it; null if the lists of changes that are kept do not say it. With these, uploads that were replaced soon are skipped.',
  ),
  changed: described(
    pastShape.nullable(),
    'The generation that changed its entry last; null if none is known.',
  ),
  knownSince: described(
    count.nullable(),
    'The earliest generation that is known to have it; null: only the live one.',
  ),
  visits: described(
    z.array(z.object({ crawler: text, status: count, lastVisitAt: time })).max(10),
    'The last visits of crawlers to the file, the latest first. Visits to the page are not seen. A kind is what a client says that it is.',
  ),
};

const foundShape = z
  .object({
    url: described(text, 'As it stands in sitemaps: with percent-encoding and an ASCII host.'),
    found: z.boolean(),
    places: described(
      z.array(z.object({ ...placeMembers, ...pastMembers })).max(100),
      'One for each file that has the URL.',
    ),
    near: described(
      z
        .array(
          z.object({
            loc: text,
            differences: described(z.array(z.enum(DIFFERENCES)), 'How it differs from `url`.'),
            ...placeMembers,
          }),
        )
        .max(100),
      'Only if it is not found: URLs that differ a little, the nearest first.',
    ),
    removed: described(
      z
        .object({
          domainId: id('domain'),
          domain: text,
          sitemapName: text,
          ...pastShape.shape,
          formerGeneration: described(
            count.nullable(),
            'The last one that had it; null if it is no longer kept.',
          ),
        })
        .nullable(),
      'Only if it is not found: its last removal, as far as the lists of changes that are kept say it.',
    ),
    originUrlCount: described(
      count.nullable(),
      'Only if it is not found: URLs of the same scheme and host in these sitemaps, as far as they are counted.',
    ),
    hasMore: described(z.boolean(), 'Whether there are more places, or more near URLs.'),
    complete: described(
      z.boolean(),
      'Whether all files were searched. If not, the URL may be in others: name a domain or a sitemap, or try again later.',
    ),
    filesLeft: described(count, 'Files that were not searched.'),
    filesUnreadable: described(
      count,
      'How many of `filesLeft` are missing or damaged. A later try cannot search these.',
    ),
    sitemapsLeft: described(count, 'Sitemaps that were not searched.'),
  })
  .meta({ id: 'FoundUrl' });

const PLACE = {
  domainId: 'domain_PlDs9c4v8PXeY16He1Yn79',
  domain: 'sitemaps.example.com',
  sitemapName: 'products',
  generation: 7,
  file: {
    n: 2,
    url: 'https://sitemaps.example.com/sitemap-products.2.xml',
    lastmod: '2026-01-15T10:30:00Z',
  },
  entry: '<url><loc>https://www.example.com/shoes</loc><lastmod>2026-01-14</lastmod></url>',
  added: { generation: 2, publishedAt: '2026-01-03T09:00:00Z', by: 'Nightly export', others: 24 },
  changed: { generation: 7, publishedAt: '2026-01-15T10:30:00Z', by: 'Nightly export', others: 249 },
  knownSince: 2,
  visits: [{ crawler: 'Googlebot', status: 200, lastVisitAt: '2026-01-15T11:02:00Z' }],
};

export const findOperations = tagged('Sitemaps', [
  operation('get', '/api/find', {
    id: 'findUrl',
    access: { actions: ['read'], to: 'named' },
    summary: 'Finds a URL in your sitemaps',
    description: 'It looks in the live generations of one sitemap, of one domain, or of all domains.',
    query: {
      url: described(text, 'The URL to find.'),
      domain: described(text, 'Only in this domain: its hostname.'),
      sitemapName: described(text, 'Only in sitemaps of this name; `default` for the unnamed one.'),
    },
    requiredQuery: { url: 'https://www.example.com/shoes' },
    answer: answered(200, 'Whether the URL is in a sitemap, and where.', foundShape, {
      url: 'https://www.example.com/shoes',
      found: true,
      places: [PLACE],
      near: [],
      removed: null,
      originUrlCount: null,
      hasMore: false,
      complete: true,
      filesLeft: 0,
      filesUnreadable: 0,
      sitemapsLeft: 0,
    }),
    errors: { NOT_FOUND: 'Your account has no such domain, or no sitemap of this name there.' },
    async run({ find, ...origins }: FindNeeds, { caller: { accountId, scope: ofKey }, request: { query } }) {
      const url = requiredQueryText(query, 'url');
      const domain = queryText(query, 'domain');
      const name = queryText(query, 'sitemapName');
      const scope = {
        accountId,
        domainIds:
          domain === undefined ? (ofKey?.domainIds ?? null) : [(await find.getDomain(accountId, domain)).id],
        sitemapNames: name === undefined ? (ofKey?.sitemapNames ?? null) : [parseName(name)],
      };
      if (domain !== undefined) requireTarget(ofKey, { domainId: scope.domainIds![0] });
      if (name !== undefined && !hasSitemap(ofKey, scope.sitemapNames![0]!)) throw unknownSitemap();
      const { places, near, removed, originUrlCount, hasMore, sitemaps, ...found } = await find.find(
        scope,
        url,
      );
      const { filesLeft, filesUnreadable, sitemapsLeft } = found;
      if (name !== undefined && sitemaps === 0) throw unknownSitemap();
      const describe = (one: FoundEntry) => describePlace(one, origins);
      return {
        url: found.url,
        found: places.length > 0,
        places: places.map((one) => ({ ...describe(one), ...describePast(one) })),
        near: near.map((one) => ({ loc: one.url, differences: one.differences, ...describe(one) })),
        removed: removed
          ? {
              domainId: removed.domainId,
              domain: removed.hostname,
              sitemapName: shownSitemapName(removed.sitemapName),
              ...describeChange(removed),
              formerGeneration: removed.formerGeneration,
            }
          : null,
        originUrlCount: originUrlCount ?? null,
        ...{ hasMore, complete: filesLeft + sitemapsLeft === 0, filesLeft, filesUnreadable, sitemapsLeft },
      };
    },
  }),
]);

const unknownSitemap = () => new Refusal('NOT_FOUND', 'There is no such sitemap.');

function parseName(shown: string): string {
  const name = givenSitemapName(shown);
  if (name === DEFAULT_SITEMAP ? shown !== '' : isSitemapName(name)) return name;
  throw invalidField('sitemapName', shown, 'must be the name of a sitemap, or default');
}

const place = z.object(placeMembers);

function describePlace({ file, entry }: FoundEntry, origins: SiteOrigins): Shown<typeof place> {
  const { domainId, hostname, isSecure, sitemapName, generation, n, lastModified } = file;
  const name = fileNameOf(file);
  return {
    ...{ domainId, domain: hostname },
    sitemapName: shownSitemapName(sitemapName),
    generation,
    file: { n, url: `${siteOrigin(origins, hostname, isSecure)}/${name}`, lastmod: isoSeconds(lastModified) },
    entry,
  };
}

function describePast({ added, changed, knownSince, visits }: FoundPlace) {
  return {
    added: added ? describeChange(added) : null,
    changed: changed ? describeChange(changed) : null,
    knownSince: knownSince ?? null,
    visits: visits.map(({ crawler, status, lastAt }) => ({
      ...{ crawler, status },
      lastVisitAt: isoSeconds(lastAt),
    })),
  };
}

function describeChange({ generation, publishedAt, by, others }: PastChange): Shown<typeof pastShape> {
  return { generation, publishedAt: isoSeconds(publishedAt), by, others };
}

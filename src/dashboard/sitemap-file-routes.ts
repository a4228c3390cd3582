/** What a sitemap has: its files, and the first URLs of each. */
import { type Request, type Response, Router } from 'express';
import { getOwnDomain } from '../domains/own-domain.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Log } from '../platform/log.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { invalidField, Refusal } from '../platform/refusal.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { givenSitemapName, partFileName, sitemapFileName } from '../sitemap/file-names.ts';
import { MAX_FILES_PER_INDEX } from '../sitemap/limits.ts';
import { type SiteOrigins, siteOrigin } from '../sites/site.ts';
import { findStoredUrls, type LiveFile, listLiveFiles, type StoredUrls } from '../uploads/live-file-store.ts';
import { readUrls, UnreadableFile, type UrlSearch } from '../uploads/read-urls.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { readPage } from '../web/pages.ts';
import { parseSearch } from './search-text.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { SitemapFile, SitemapUrl } from './wire.ts';

export interface SitemapFileRoutesOptions extends SiteOrigins {
  readonly database: Queryable;
  readonly storage: Pick<ObjectStorage, 'get'>;
  readonly cursors: Cursors;
  readonly log: Log;
}

const PAGE = 1000;
const MAX_URLS = 100;
/** Each inflates at most 50 MiB, some 0.3 s of work, a chunk at a time. */
const READS_AT_ONCE = 2;
const NUMBER = /^[1-9]\d{0,4}$/;

export function sitemapFileRoutes(options: SitemapFileRoutesOptions, signedIn: SignedIn): Router {
  const { database, cursors } = options;
  const turns = new Turns(READS_AT_ONCE);
  const router = Router({ caseSensitive: true, strict: true });

  const sitemapOf = async ({ accountId }: Person, { params }: Request) => {
    const domain = await getOwnDomain(database, accountId, String(params.id));
    const origin = siteOrigin(options, domain.hostname, domain.sslStatus === 'active');
    return { domainId: domain.id, origin, sitemapName: givenSitemapName(String(params.name)) };
  };

  router
    .route('/dashboard/api/domains/:id/sitemaps/:name/files')
    .get(
      signedIn(
        async (person, request, response) => {
          const sitemap = await sitemapOf(person, request);
          const { domainId, origin, sitemapName } = sitemap;
          const list = {
            accountId: person.accountId,
            list: `files of ${domainId} ${sitemapName}`,
            read: (limit: number, after: string | undefined) =>
              listLiveFiles(database, sitemap, limit, Number(after ?? 0)),
            positionOf: ({ n }: LiveFile) => String(n),
          };
          const { rows, pagination } = await readPage(request, cursors, list, PAGE);
          // A sitemap has at least one file.
          if (rows.length === 0 && request.query.cursor === undefined) throw noSuchFile();
          const files = rows.map((file) => describeFile(file, origin, sitemapName));
          answer(response, 200, files, { pagination });
        },
        { query: ['cursor'] },
      ),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/dashboard/api/domains/:id/sitemaps/:name/urls')
    .get(
      signedIn(
        async (person, request, response) => {
          const sitemap = await sitemapOf(person, request);
          const n = parseFile(request.query.file);
          const search = {
            text: parseSearch(request.query.search),
            limit: MAX_URLS,
            signal: goneOf(response),
          };
          const find = () => findStoredUrls(database, sitemap, n);
          const urls: readonly SitemapUrl[] = await turns.run(person.accountId, () =>
            readLiveUrls(options, find, search),
          );
          answer(response, 200, urls);
        },
        { query: ['file', 'search'] },
      ),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}

/** An upload may replace the sitemap meanwhile, and its former objects may be collected. Throws Refusal. */
async function readLiveUrls(
  options: SitemapFileRoutesOptions,
  find: () => Promise<StoredUrls | undefined>,
  search: UrlSearch,
) {
  const file = await find();
  if (file === undefined) throw noSuchFile();
  try {
    return await readUrls(options, file, search);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const now = await find();
    if (now?.uploadId !== file.uploadId || now.n !== file.n) {
      throw new Refusal('CONFLICT', 'The sitemap was replaced while it was read. Try again.');
    }
    options.log.warn({ err: error }, 'a file of a sitemap cannot be read');
    const message = 'The stored file is missing or damaged. The next upload of the sitemap replaces it.';
    throw new Refusal('SERVICE_UNAVAILABLE', message);
  }
}

function describeFile(file: LiveFile, origin: string, sitemapName: string): SitemapFile {
  const { n, fileCount, urlCount, bytes, gzipBytes, changedAt } = file;
  const name = fileCount === 1 ? sitemapFileName(sitemapName) : partFileName(sitemapName, n);
  return { n, url: `${origin}/${name}`, urlCount, bytes, gzipBytes, changedAt: isoSeconds(changedAt) };
}

/** Throws Refusal VALIDATION_ERROR. */
function parseFile(given: unknown): number {
  const n = typeof given === 'string' && NUMBER.test(given) ? Number(given) : 0;
  if (n >= 1 && n <= MAX_FILES_PER_INDEX) return n;
  throw invalidField('file', given, 'must be the number of a file, from 1');
}

function goneOf(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

function noSuchFile(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such sitemap, or it has no such file.');
}

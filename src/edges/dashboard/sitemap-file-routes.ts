/** Routes that show the files of a sitemap, and the first URLs of each file. */
import type { Request, Router } from 'express';
import { givenSitemapName, partFileName, sitemapFileName } from '../../core/sitemap/file-names.ts';
import { MAX_FILES_PER_INDEX } from '../../core/sitemap/limits.ts';
import type { Cursors } from '../../core/web/cursors.ts';
import { answer } from '../../core/web/envelope.ts';
import { goneSignal } from '../../core/web/gone-signal.ts';
import { readPage } from '../../core/web/pages.ts';
import { parseSearch } from '../../core/web/query-text.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import { UnreadableFile } from '../../features/entries/stream-xml.ts';
import { type SiteOrigins, siteOrigin } from '../../features/sites/site.ts';
import type { LiveFile } from '../../features/uploads/live-file-store.ts';
import type { Uploads } from '../../features/uploads/open-uploads.ts';
import type { UrlSearch } from '../../features/uploads/read-urls.ts';
import type { SitemapKey } from '../../features/uploads/upload-store.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import { isoSeconds } from '../../platform/iso-seconds.ts';
import type { Log } from '../../platform/log.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { SitemapFile, SitemapUrl } from './wire.ts';

export interface SitemapFileRoutesOptions extends SiteOrigins {
  readonly ownDomain: OwnDomain;
  readonly uploads: Pick<Uploads, 'listLiveFiles' | 'findStoredUrls' | 'readUrls'>;
  readonly cursors: Cursors;
  readonly log: Log;
}

const PAGE = 1000;
const MAX_URLS = 100;
/** The most files that are searched at once. A file has at most 50 MiB of XML: some 0.3 s of work, done chunk by chunk. */
const READS_AT_ONCE = 2;
const NUMBER = /^[1-9]\d{0,4}$/;

export function sitemapFileRoutes(options: SitemapFileRoutesOptions, signedIn: SignedIn): Router {
  const { ownDomain, uploads, cursors } = options;
  const turns = new Turns(READS_AT_ONCE);

  const sitemapOf = async ({ accountId }: Person, { params }: Request) => {
    const domain = await ownDomain(accountId, String(params.id));
    const origin = siteOrigin(options, domain.hostname, domain.sslStatus === 'active');
    return { domainId: domain.id, origin, sitemapName: givenSitemapName(String(params.name)) };
  };
  return routesOf({
    '/dashboard/api/domains/:id/sitemaps/:name/files': {
      get: signedIn(
        async (person, request, response) => {
          const sitemap = await sitemapOf(person, request);
          const { domainId, origin, sitemapName } = sitemap;
          const list = {
            accountId: person.accountId,
            list: `files of ${domainId} ${sitemapName}`,
            read: (limit: number, after: string | undefined) =>
              uploads.listLiveFiles(sitemap, limit, Number(after ?? 0)),
            positionOf: ({ n }: LiveFile) => String(n),
          };
          const { rows, pagination } = await readPage(request, cursors, list, PAGE);
          // A sitemap has at least one file, so a first page without rows means that there is no sitemap.
          if (rows.length === 0 && request.query.cursor === undefined) throw noSuchFile();
          const files = rows.map((file) => describeFile(file, origin, sitemapName));
          answer(response, 200, files, { pagination });
        },
        { query: ['cursor'] },
      ),
    },
    '/dashboard/api/domains/:id/sitemaps/:name/urls': {
      get: signedIn(
        async (person, request, response) => {
          const sitemap = await sitemapOf(person, request);
          const n = parseFile(request.query.file);
          const search = {
            text: parseSearch(request.query.search),
            limit: MAX_URLS,
            signal: goneSignal(response),
          };
          const urls: readonly SitemapUrl[] = await turns.run(person.accountId, () =>
            readLiveUrls(options, sitemap, n, search),
          );
          answer(response, 200, urls);
        },
        { query: ['file', 'search'] },
      ),
    },
  });
}

/** Reads URLs of the live upload. If a newer upload replaces that upload meanwhile, the files may be deleted. Throws Refusal. */
async function readLiveUrls(
  { uploads, log }: SitemapFileRoutesOptions,
  sitemap: SitemapKey,
  n: number,
  search: UrlSearch,
) {
  const file = await uploads.findStoredUrls(sitemap, n);
  if (file === undefined) throw noSuchFile();
  try {
    return await uploads.readUrls(file, search);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const now = await uploads.findStoredUrls(sitemap, n);
    if (now?.uploadId !== file.uploadId || now.n !== file.n) {
      throw new Refusal('CONFLICT', 'The sitemap was replaced while it was read. Try again.');
    }
    log.warn({ err: error }, 'a file of a sitemap cannot be read');
    const message = 'The stored file is missing or damaged. The next upload of the sitemap replaces it.';
    throw new Refusal('SERVICE_UNAVAILABLE', message);
  }
}

function describeFile(file: LiveFile, origin: string, sitemapName: string): SitemapFile {
  const { n, fileCount, urlCount, bytes, gzipBytes, changedAt } = file;
  const name = fileCount === 1 ? sitemapFileName(sitemapName) : partFileName(sitemapName, n);
  return { n, url: `${origin}/${name}`, urlCount, bytes, gzipBytes, changedAt: isoSeconds(changedAt) };
}

/** Parses the number of a file. Throws Refusal VALIDATION_ERROR. */
function parseFile(given: unknown): number {
  const n = typeof given === 'string' && NUMBER.test(given) ? Number(given) : 0;
  if (n >= 1 && n <= MAX_FILES_PER_INDEX) return n;
  throw invalidField('file', given, 'must be the number of a file, from 1');
}

function noSuchFile(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such sitemap, or it has no such file.');
}

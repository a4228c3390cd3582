/** Opens the room for operations that look for a URL. Jobs processes make the indexes (`index-queue.ts`). */
import { partFileName, sitemapFileName } from '../../core/sitemap/file-names.ts';
import { normaliseUrl } from '../../core/sitemap/url.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import { invalidField } from '../../platform/refusal.ts';
import { createGetDomain } from '../domains/own-domain.ts';
import type { FindScope, PublishedFile } from './find-store.ts';
import { type FoundEntry, type FoundUrl, findUrl } from './find-url.ts';
import { countOrigin, listVisitsTo, type Visit } from './history-store.ts';
import type { FilePlaces } from './scan-files.ts';
import { findRemoval, type Removal, readHistory, type UrlHistory } from './url-history.ts';
import { UrlIndexesReader } from './url-indexes-reader.ts';

/** An entry where it is published, and its past. */
export interface FoundPlace extends FoundEntry, UrlHistory {
  /** The last visits to the file. */
  readonly visits: readonly Visit[];
}

interface Found extends Omit<FoundUrl, 'places'> {
  /** The URL as it stands in sitemaps. */
  readonly url: string;
  readonly places: readonly FoundPlace[];
  /** The removal of the URL, if it has no places and a recorded list of changes has its removal. */
  readonly removed?: Removal | undefined;
  /** The number of counted URLs with the same origin. Undefined if the URL has places. */
  readonly originUrlCount?: number;
}

/** The most places whose past is read. */
const MOST_PASTS = 10;

export type Find = ReturnType<typeof openFind>;

/** The most look-ups at once. A look-up may inflate 256 MiB. Accounts take turns. */
const LOOK_UPS_AT_ONCE = 4;
const PER_ACCOUNT = 2;

export function openFind({ database, storage }: FilePlaces) {
  const options = { database, storage, indexes: new UrlIndexesReader(storage) };
  const turns = new Turns(LOOK_UPS_AT_ONCE, PER_ACCOUNT);
  return {
    getDomain: createGetDomain(database),
    /** Returns the URL as it stands in sitemaps, and its places. Throws Refusal with field `url`. */
    async find(scope: FindScope, given: string): Promise<Found> {
      const verdict = normaliseUrl(given);
      if ('problem' in verdict) throw invalidField('url', given, verdict.problem);
      const { url } = verdict;
      return turns.run(scope.accountId, async () => {
        const found = await findUrl(options, scope, url);
        if (found.places.length === 0) {
          const [removed, originUrlCount] = await Promise.all([
            findRemoval(options, scope, url),
            countOrigin(database, scope, new URL(url).origin),
          ]);
          return { ...found, url, places: [], removed, originUrlCount };
        }
        const places = found.places.map((place, at) =>
          at < MOST_PASTS ? withPast(options, place, url) : { ...place, visits: [] },
        );
        return { ...found, url, places: await Promise.all(places) };
      });
    },
  };
}

async function withPast(places: FilePlaces, found: FoundEntry, url: string): Promise<FoundPlace> {
  const { domainId, sitemapName, liveUploadId } = found.file;
  const [past, visits] = await Promise.all([
    readHistory(places, { domainId, sitemapName, uploadId: liveUploadId }, url),
    listVisitsTo(places.database, domainId, fileNameOf(found.file)),
  ]);
  return { ...found, ...past, visits };
}

export function fileNameOf({ sitemapName, n, fileCount }: PublishedFile): string {
  return fileCount === 1 ? sitemapFileName(sitemapName) : partFileName(sitemapName, n);
}

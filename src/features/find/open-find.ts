/** Opens the room for operations that look for a URL. `index-queue.ts` makes the indexes, in jobs processes. */
import { normaliseUrl } from '../../core/sitemap/url.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { invalidField } from '../../platform/refusal.ts';
import { createGetDomain } from '../domains/own-domain.ts';
import type { FindScope } from './find-store.ts';
import { type FoundUrl, findUrl } from './find-url.ts';
import type { ReadStorage } from './stored-files.ts';
import { UrlIndexesReader } from './url-indexes-reader.ts';

export interface OpenFindOptions {
  readonly database: Database;
  readonly storage: ReadStorage;
}

export type Find = ReturnType<typeof openFind>;

/** Each may inflate 256 MiB. Accounts take turns. */
const LOOK_UPS_AT_ONCE = 4;
const PER_ACCOUNT = 2;

export function openFind({ database, storage }: OpenFindOptions) {
  const options = { database, storage, indexes: new UrlIndexesReader(storage) };
  const turns = new Turns(LOOK_UPS_AT_ONCE, PER_ACCOUNT);
  return {
    getDomain: createGetDomain(database),
    /** Returns the URL as it stands in sitemaps, and where it is. Throws Refusal with field `url`. */
    async find(scope: FindScope, given: string): Promise<FoundUrl & { readonly url: string }> {
      const verdict = normaliseUrl(given);
      if ('problem' in verdict) throw invalidField('url', given, verdict.problem);
      const { url } = verdict;
      const found = await turns.run(scope.accountId, () => findUrl(options, scope, url));
      return { ...found, url };
    },
  };
}

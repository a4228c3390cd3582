/** Finds the domain and the sitemap of an upload, an attempt, or a part of an upload session. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { findAttempt } from './attempt-store.ts';
import { findHeldPlace } from './held-upload-store.ts';
import { findPartPlace } from './sessions/part-store.ts';

export interface Place {
  readonly domainId: string;
  /** Empty for the unnamed sitemap. Null if it is not known. */
  readonly sitemapName: string | null;
}

/** `id` is the id of an upload or of a part. Returns undefined also if another account owns the upload or the part. */
export async function findPlace(
  queryable: Queryable,
  accountId: string,
  id: string,
): Promise<Place | undefined> {
  // An upload may be held for longer than its attempt is kept.
  return (
    (await findAttempt(queryable, accountId, id)) ??
    (await findPartPlace(queryable, accountId, id)) ??
    (await findHeldPlace(queryable, accountId, id))
  );
}

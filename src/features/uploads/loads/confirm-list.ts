/**
 * Ends a load whose list equals the list of the live upload, without a look at its objects (docs/decisions/0074). Like an upload of the
 * same entries, the load publishes nothing.
 */
import { hash } from 'node:crypto';
import { XML_VERSION } from '../../../core/sitemap/xml-version.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import type { PublishedUpload, PublishOptions } from '../publishing/publication.ts';
import { publishAlone } from '../publishing/publish-alone.ts';
import { Overtaken } from '../publishing/staged-upload.ts';
import { discardSession } from '../sessions/end-sessions.ts';
import type { SessionTerms } from '../sessions/session.ts';
import type { Listing } from './list-sources.ts';
import type { AskedLoad } from './load.ts';
import { endLoad } from './load-store.ts';
import type { LoadWork } from './load-work.ts';

/**
 * Returns the print of a list. Equal prints mean the same objects, read in the same way. Returns null if an object has no entity tag, or
 * is an index: then an equal list cannot prove that nothing has changed.
 */
export function printOf(
  { form, dialect, allowHosts }: AskedLoad,
  terms: SessionTerms,
  endpoint: string | undefined,
  { objects, missing }: Listing,
): string | null {
  if (objects.some(({ etag, isIndex }) => etag === null || isIndex)) return null;
  const listed = objects.map(({ url, etag, bytes }) => [url, etag, bytes]);
  const print = [XML_VERSION, form, dialect, allowHosts, terms, endpoint ?? null, missing, listed];
  return hash('sha256', JSON.stringify(print), 'base64url');
}

/** Returns undefined if the objects must be read. Throws the Refusals of a publication. */
export async function confirmList(
  options: PublishOptions,
  work: LoadWork,
  print: string,
): Promise<PublishedUpload | undefined> {
  const { load, uploader, attempt } = work;
  const { domainId, hostname, sitemapName, asked } = load;
  const liveId = await findLoaded(options.database, load, print);
  if (liveId === undefined) return undefined;
  const overtaken = () => {
    throw new Overtaken();
  };
  try {
    return await publishAlone(options, {
      ...{ kind: 'upload', id: load.id, uploader, sitemapName, attempts: [attempt] },
      domain: { id: domainId, hostname },
      terms: { ifGeneration: asked.ifGeneration ?? undefined, force: false },
      isSame: ({ id }) => id === liveId,
      ...{ take: overtaken, insert: overtaken },
      async onPublished(transaction) {
        await discardSession(transaction, load);
        await endLoad(transaction, load, work.progress);
      },
    });
  } catch (error) {
    if (error instanceof Overtaken) return undefined;
    throw error;
  }
}

/** Returns the id of the live upload of the sitemap, if its list has this print. */
async function findLoaded(
  queryable: Queryable,
  { domainId, sitemapName }: LoadWork['load'],
  print: string,
): Promise<string | undefined> {
  const { rows } = await queryable.query<{ id: string }>(
    `SELECT u.id FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
      WHERE s.domain_id = $1 AND s.name = $2 AND u.list_print = $3`,
    [domainId, sitemapName, print],
  );
  return rows[0]?.id;
}

/** Records the print of a load's list with the upload that is live now. Call this in the transaction of the publication. */
export async function recordList(transaction: Transaction, loadId: string): Promise<void> {
  await transaction.query(
    `UPDATE uploads u SET list_print = l.list_print FROM loads l JOIN sitemaps s ON s.domain_id = l.domain_id AND s.name = l.sitemap_name
      WHERE l.id = $1 AND u.id = s.upload_id AND u.list_print IS DISTINCT FROM l.list_print`,
    [loadId],
  );
}

/**
 * Ends a load whose list is that of the live upload, without a look at its objects. Like an upload of the same entries, it
 * publishes nothing.
 */
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import type { PublishedUpload, PublishOptions } from '../publishing/publication.ts';
import { publishAlone } from '../publishing/publish-alone.ts';
import { discardSession } from './discard-session.ts';
import { endLoad } from './load-store.ts';
import type { LoadWork } from './load-work.ts';

/** Thrown if another upload went live meanwhile. */
class Overtaken extends Error {}

/** Returns undefined if there is something to read. Throws Refusal as a publication does. */
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

/** Returns the id of the live upload of the sitemap, if its list has the print. */
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

/** Records the list of a load with the upload that is live now. Call it in the transaction of the publication. */
export async function recordList(transaction: Transaction, loadId: string): Promise<void> {
  await transaction.query(
    `UPDATE uploads u SET list_print = l.list_print FROM loads l JOIN sitemaps s ON s.domain_id = l.domain_id AND s.name = l.sitemap_name
      WHERE l.id = $1 AND u.id = s.upload_id AND u.list_print IS DISTINCT FROM l.list_print`,
    [loadId],
  );
}

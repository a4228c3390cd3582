/** Uploads, comparisons and the sitemap of recent changes, over a real database and a folder. */
import { gunzipSync } from 'node:zlib';
import { afterAll } from 'vitest';
import { unescapeText } from '../../src/core/sitemap/xml-text.ts';
import { compareSitemap } from '../../src/features/changes/compare-sitemap.ts';
import { ComparisonThread } from '../../src/features/changes/comparison-thread.ts';
import { takeDueComparison } from '../../src/features/changes/due-comparison-store.ts';
import { changeRecent } from '../../src/features/recent/change-recent.ts';
import { takeDueRecent } from '../../src/features/recent/due-recent-store.ts';
import type { Cut } from '../../src/features/recent/merge-changes.ts';
import {
  findRecentSummary,
  type RecentSettings,
  type RecentSummary,
} from '../../src/features/recent/recent-store.ts';
import { type WriteRecentOptions, writeRecent } from '../../src/features/recent/write-recent.ts';
import { LARGE_LANE, SMALL_LANE } from '../../src/features/sites/due-comparison.ts';
import { type Site, siteKey, siteSchema, uploadFileKey } from '../../src/features/sites/site.ts';
import { newId } from '../../src/platform/ids.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { addAccount, addServedDomain } from '../support/accounts.ts';
import { createUploadFixture } from '../uploads/upload-fixture.ts';

export async function createRecentWorld() {
  const fixture = await createUploadFixture();
  const { database, storage } = fixture;
  const { openChange } = fixture.options;
  const account = await addAccount(database, 'enterprise');
  const thread = new ComparisonThread();
  afterAll(() => thread[Symbol.asyncDispose]());
  const never = new AbortController().signal;
  const writing: WriteRecentOptions = {
    ...{ database, storage, openChange, newId },
    publicOrigin: 'https://{hostname}',
    hub: undefined,
  };

  async function addDomain(settings: Partial<RecentSettings> = { enabled: true }, owner = account) {
    const { id, hostname } = await addServedDomain(database, owner);
    const change = (wanted: Partial<RecentSettings>) =>
      changeRecent({ openChange }, { id, hostname }, wanted, async () => {});
    await change(settings);

    const upload = (urls: readonly object[], more: object = {}) =>
      fixture.upload(account, { domain: hostname, sizeLimit: 'gsc-optimized', urls, ...more });

    /** Compares all that is due, of all domains. */
    async function compare(): Promise<void> {
      for (const lane of [SMALL_LANE, LARGE_LANE]) {
        for (;;) {
          await database.query('UPDATE sitemaps SET compare_at = now() WHERE compare_at IS NOT NULL');
          const due = await takeDueComparison(database, { lane, after: '' });
          if (due === undefined) break;
          const comparing = { database, storage, openSink: async () => undefined, onCounted: async () => {} };
          await compareSitemap(comparing, thread, due, never);
        }
      }
    }

    /** Writes the next version. Returns undefined if there is none. */
    async function write(changed: Partial<WriteRecentOptions> = {}) {
      await database.query(
        'UPDATE recent_sitemaps SET due_at = CASE WHEN domain_id = $1 THEN now() END, leased_until = NULL',
        [id],
      );
      const due = await takeDueRecent(database);
      return writeRecent({ ...writing, ...changed }, due!, never);
    }

    async function site(): Promise<Site> {
      return siteSchema.parse(JSON.parse((await readObject(storage, siteKey(hostname)))!.toString()));
    }

    /** Returns the XML of the recent files, as hosting finds them. */
    async function files(): Promise<string[]> {
      const sitemap = (await site()).sitemaps.find(({ name }) => name === 'recent');
      if (sitemap === undefined) return [];
      return Promise.all(
        Array.from({ length: sitemap.files }, async (_, i) =>
          gunzipSync((await readObject(storage, uploadFileKey(sitemap.uploadId, i + 1)))!).toString(),
        ),
      );
    }

    /** The entries of the recent files, sorted. */
    async function entries(): Promise<string[]> {
      return (await files()).flatMap((xml) => xml.match(/<url>.*?<\/url>\n/gs) ?? []).sort();
    }

    return {
      ...{ id, hostname, change, upload, compare, write, site, files, entries },
      /** Sends a delta. */
      delta: (members: object) => fixture.delta(account, { domain: hostname, ...members }),
      /** Uploads, compares and writes. */
      async publish(urls: readonly object[], more: object = {}) {
        const accepted = await upload(urls, more);
        await compare();
        await write();
        return accepted;
      },
      locs: async () =>
        (await entries()).map((xml) => unescapeText(/<loc>(.*?)<\/loc>/.exec(xml)![1]!)).sort(),
      summary: async (): Promise<RecentSummary> => (await findRecentSummary(database, id))!,
      /** Lets so many hours pass for all that is not in the files yet, and for cuts. */
      passHours: async (hours: number) => {
        const { rows } = await database.query('SELECT left_out FROM recent_sitemaps WHERE domain_id = $1', [
          id,
        ]);
        const cuts = (rows[0].left_out as Cut[]).map((cut) => ({ ...cut, at: cut.at - 3600 * hours }));
        await database.query('UPDATE recent_sitemaps SET left_out = $2 WHERE domain_id = $1', [
          id,
          JSON.stringify(cuts),
        ]);
        await database.query(
          `UPDATE changed_entries SET changed_at = changed_at - $2 * interval '1 hour' WHERE domain_id = $1`,
          [id, hours],
        );
      },
    };
  }

  return { ...fixture, account, thread, writing, addDomain };
}

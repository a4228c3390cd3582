/**
 * The recent files of a domain get a new version after an upload that replaces all URLs. Whichever call breaks, the domain's
 * index names only files that are served, and in the end they have what changed (docs/decisions/0057).
 */
import { expect, vi } from 'vitest';
import { readXml } from '../sitemap/read-xml.ts';
import { urlOf } from './support/history.ts';
import { sweep } from './support/sweep.ts';
import type { World } from './support/world.ts';

const SOON = { timeout: 90_000, interval: 50 };
/** Enough that the pack is an object. Of few URLs, all may change. */
const URLS = 900;

const isWritten = async ({ database }: World) =>
  (
    await database.query(
      `SELECT FROM recent_sitemaps WHERE leased_until > now() OR due_at <= now()
        UNION ALL SELECT FROM changed_entries`,
    )
  ).rowCount === 0;

/** Resolves to true if the recent files are written. */
function recentIsWritten(world: World): Promise<boolean> {
  return world.jobsReach(async () => {
    await world.database.query(
      'UPDATE recent_sitemaps SET due_at = now() WHERE due_at > now() AND EXISTS (SELECT FROM changed_entries)',
    );
    return isWritten(world);
  }, 6000);
}

async function expectRecent(world: World): Promise<void> {
  const live = world.history.liveUpload('');
  const expected = Array.from({ length: live.urlCount }, (_, place) => urlOf(live, place)).sort();
  const { status, body } = await world.fetch('/sitemap-recent.xml');
  expect(status).toBe(200);
  const locs = readXml(String(body)).children.map(({ children }) => children[0]!.text);
  expect(locs.sort()).toEqual(expected);
  const feed = await world.fetch('/changes.atom');
  expect(feed.status).toBe(200);
  expect(String(feed.body)).toContain(expected[0]);
}

sweep('a new version of the recent files', {
  victim: 'jobs',
  async prepare(world) {
    const { database } = world;
    await database.query('UPDATE domains SET recent_enabled = true');
    await database.query(
      'INSERT INTO recent_sitemaps (domain_id) SELECT id FROM domains ON CONFLICT DO NOTHING',
    );
    await world.publish('', URLS);
    await world.compareAll();
    await world.publish('', URLS - 10);
    await world.compareAll();
    await vi.waitFor(async () => {
      await recentIsWritten(world);
      await expectRecent(world);
    }, SOON);
    await world.publish('', URLS);
    await world.compareAll();
  },
  run: recentIsWritten,
  async again(world) {
    await world.database.query('UPDATE recent_sitemaps SET leased_until = NULL, due_at = now()');
    await vi.waitFor(async () => {
      await recentIsWritten(world);
      expect(await isWritten(world)).toBe(true);
    }, SOON);
  },
  check: (world) => vi.waitFor(() => expectRecent(world), SOON),
});

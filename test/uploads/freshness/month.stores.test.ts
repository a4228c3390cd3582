/** A month of uploads, with restarts, outages, rollbacks and a clock that steps. */
import { expect, test } from 'vitest';
import { expectUploads, judgeFreshness } from '../../../src/features/uploads/freshness/expect-uploads.ts';
import { rollBack } from '../../../src/features/uploads/publishing/roll-back.ts';
import { newId } from '../../../src/platform/ids.ts';
import { Random } from '../../judges/transcoding/random.ts';
import { addAccount, addServedDomain } from '../../support/accounts.ts';
import { simulateClock } from '../../support/simulated-clock.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MONTH_MS = 30 * 24 * HOUR_MS;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
/** The clock is at times this much behind. The next upload after such an upload is due as much too early. */
const BEHIND_MS = 2 * MINUTE_MS;
/** The job looks every 30 s to 40 s. */
const LOOK_MS = 40_000;
const LATEST_MS = 5 * MINUTE_MS;

const fixture = await createUploadFixture({ seesUnchanged: true });
const { database } = fixture;
const clock = await simulateClock(database, new Date(START_MS));
const account = await addAccount(database);
const uploader = await fixture.uploaderOf(account);
await database.query(
  `INSERT INTO webhook_endpoints (id, account_id, url, description) VALUES ($1, $2, 'https://hooks.example/', '')`,
  [newId('webhook'), account],
);

const FEEDS = ['changed', 'same', 'delta'] as const;
type Feed = (typeof FEEDS)[number];
interface Action {
  readonly at: number;
  readonly name: string;
  readonly what: Feed | 'rollback';
}
interface Step {
  readonly at: number;
  readonly byMs: number;
}
interface Told {
  readonly type: string;
  readonly name: string;
  readonly at: number;
}

/** The hours within which each sitemap expects its next upload. */
const SITEMAPS: Readonly<Record<string, number>> = { fast: 10, daily: 24, weekly: 168 };

/** Numbers from 0 to 1, the same for each seed. */
function fractions(seed: number): () => number {
  const random = new Random(seed);
  return () => random.below(2 ** 30) / 2 ** 30;
}

type Domain = Pick<Awaited<ReturnType<typeof addServedDomain>>, 'id' | 'hostname'>;

const between = (random: () => number, from: number, to: number) => from + random() * (to - from);

/** Uploads that come in time, and some that come late. Rollbacks stand between them. */
function planActions(random: () => number): Action[] {
  return Object.entries(SITEMAPS).flatMap(([name, hours]) => {
    const actions: Action[] = [];
    for (let at = START_MS + 10 * MINUTE_MS; at < START_MS + MONTH_MS; ) {
      const what = actions.length === 0 ? 'changed' : FEEDS[Math.floor(random() * FEEDS.length)]!;
      actions.push({ at, name, what });
      const isLate = random() < 0.2;
      const gap = hours * HOUR_MS * (isLate ? between(random, 1.2, 2.5) : between(random, 0.4, 0.9));
      if (random() < 0.3) actions.push({ at: at + gap * between(random, 0.2, 0.8), name, what: 'rollback' });
      at += gap;
    }
    return actions;
  });
}

/** Returns the messages that must come, by the true time. */
function truth(actions: readonly Action[]): Told[] {
  return Object.entries(SITEMAPS).flatMap(([name, hours]) => {
    const feeds = actions.filter((one) => one.name === name && one.what !== 'rollback').map(({ at }) => at);
    return feeds.flatMap((at, i) => {
      const due = at + hours * HOUR_MS;
      const next = feeds[i + 1] ?? Number.POSITIVE_INFINITY;
      if (due >= Math.min(next, START_MS + MONTH_MS)) return [];
      const stale = { type: 'sitemap.stale', name, at: due };
      return next === Number.POSITIVE_INFINITY ? [stale] : [stale, { type: 'sitemap.fresh', name, at: next }];
    });
  });
}

let version = 0;
const urls = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ loc: `https://example.com/${n}` }));

async function act(
  { id: domainId, hostname }: Domain,
  { name, what }: Action,
  live: Map<string, { count: number; generations: number }>,
) {
  const former = live.get(name) ?? { count: 0, generations: 0 };
  if (what === 'rollback') {
    if (former.generations < 2) return;
    const { rows } = await database.query<{ seq: number }>(
      `SELECT u.seq FROM uploads u WHERE u.domain_id = $1 AND u.sitemap_name = $2 AND u.id <> ALL (SELECT upload_id FROM sitemaps)
        ORDER BY u.seq DESC LIMIT 1`,
      [domainId, name],
    );
    await rollBack(fixture.options, uploader, { id: domainId, hostname }, name, rows[0]!.seq, {
      ifGeneration: undefined,
    });
    live.set(name, { ...former, count: -1 });
    return;
  }
  const body = { domain: hostname, sitemapName: name, force: what !== 'same' };
  version += 1;
  if (what === 'delta') {
    await fixture.delta(account, {
      domain: hostname,
      sitemapName: name,
      upsert: [{ loc: `https://example.com/delta/${version}` }],
    });
    live.set(name, { count: -1, generations: former.generations + 1 });
    return;
  }
  const isSame = what === 'same' && former.count > 0;
  const count = isSame ? former.count : (version % 5) + 1;
  await fixture.upload(account, { ...body, urls: urls(count), force: !isSame });
  live.set(name, { count, generations: former.generations + (isSame ? 0 : 1) });
}

test.each([2])(
  'each late upload is told once and its end once, within five minutes, and nothing else (%i)',
  async (seed) => {
    const domain = await addServedDomain(database, account);
    await database.query('DELETE FROM looks');
    const random = fractions(seed);
    const actions = planActions(random).sort((a, b) => a.at - b.at);
    const expected = truth(actions);
    // The clock of the database is a day ahead, or two minutes behind, for a minute: each time when an upload comes, or is due.
    const steps: Step[] = [...actions, ...expected]
      .filter(() => random() < 0.15)
      .map(({ at }) => ({ at: at - 10_000, byMs: random() < 0.5 ? 24 * HOUR_MS : -BEHIND_MS }));
    const aheadBy = (at: number) =>
      steps.find((step) => at >= step.at && at < step.at + MINUTE_MS)?.byMs ?? 0;
    // No job runs for an hour, twice.
    const outages = [0.3, 0.7].map((share) => START_MS + share * MONTH_MS);
    const outageAt = (at: number) => outages.find((from) => at >= from && at < from + HOUR_MS);
    // Only looks of the job near an event matter.
    const moments = [...actions, ...expected, ...steps]
      .map(({ at }) => at)
      .concat(outages.map((at) => at + HOUR_MS));
    const looks = new Set<number>();
    for (const moment of moments) {
      for (let at = moment - 3 * MINUTE_MS; at < moment + LATEST_MS; at += LOOK_MS)
        looks.add(Math.floor(at / LOOK_MS) * LOOK_MS);
    }
    const agenda = [
      ...actions.map((action) => ({ at: action.at, action })),
      // A restart skips a look.
      ...[...looks]
        .filter((at) => outageAt(at) === undefined && random() > 0.05)
        .map((at) => ({ at, action: undefined })),
    ].sort((a, b) => a.at - b.at);

    const told: Told[] = [];
    const live = new Map<string, { count: number; generations: number }>();
    for (const { at, action } of agenda) {
      if (at < START_MS || at > START_MS + MONTH_MS + 7 * MINUTE_MS) continue;
      await clock.set(new Date(at + aheadBy(at)));
      fixture.clock.now = new Date(at);
      if (action === undefined) await judgeFreshness(database);
      else await act(domain, action, live);
      if (action !== undefined && live.get(action.name)?.generations === 1) {
        const sitemap = { domainId: domain.id, sitemapName: action.name };
        await expectUploads(
          database,
          sitemap,
          SITEMAPS[action.name]!,
          async () => {},
          async () => {},
        );
      }
      const { rows } = await database.query<{ type: string; data: { sitemapName: string } }>(
        `DELETE FROM webhook_events RETURNING type, data`,
      );
      const turned = rows.filter(({ type }) => type.startsWith('sitemap.'));
      told.push(...turned.map(({ type, data }) => ({ type, name: data.sitemapName, at })));
    }

    const inOrder = (list: readonly Told[]) =>
      Object.keys(SITEMAPS).map((name) =>
        list.filter((one) => one.name === name).sort((a, b) => a.at - b.at),
      );
    const [toldOf, expectedOf] = [inOrder(told), inOrder(expected)];
    expect(toldOf.map((list) => list.map(({ type }) => type))).toEqual(
      expectedOf.map((list) => list.map(({ type }) => type)),
    );
    expect(expected.length).toBeGreaterThan(20);
    for (const [i, list] of toldOf.entries()) {
      for (const [j, { at }] of list.entries()) {
        const due = expectedOf[i]![j]!.at;
        const outage = outageAt(due);
        const from = outage === undefined ? due : outage + HOUR_MS;
        expect(at).toBeGreaterThanOrEqual(due - BEHIND_MS);
        expect(at - from).toBeLessThanOrEqual(LATEST_MS);
      }
    }
  },
);

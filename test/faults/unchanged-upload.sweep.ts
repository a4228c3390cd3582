/**
 * A published list is sent again, in another order. Nothing is published, and each acknowledged upload is recorded once,
 * whichever call breaks (docs/decisions/0053).
 */
import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Received } from '../service/support/send.ts';
import { type Recorded, readPublished, readRecorded, readSite, sumUnchanged } from './support/published.ts';
import { sendAgain } from './support/send-again.ts';
import { sweep } from './support/sweep.ts';
import { LATE_PUTS, type RepeatableUpload, type World } from './support/world.ts';

interface List {
  readonly sitemapName: string;
  readonly urlCount: number;
}

interface Repetition {
  /** The lists that are sent again. */
  readonly lists: readonly List[];
  /** Lists that are published at the same time. */
  readonly beside?: readonly List[];
  readonly hasKey?: boolean;
  readonly callsNoStore?: boolean;
}

/** A list that is sent again, and its outcome. */
interface Resent {
  readonly sitemapName: string;
  readonly upload: RepeatableUpload;
  readonly before: Recorded;
  /** Undefined if it was lost. */
  first?: Received | undefined;
  /** The ids that the answers name. */
  readonly acknowledged: Set<string>;
}

function sweepRepetition(
  title: string,
  { lists, beside = [], hasKey = false, callsNoStore = false }: Repetition,
): void {
  const names = lists.map(({ sitemapName }) => sitemapName);
  const isAlone = beside.length === 0;
  let resent: Resent[];
  let before: unknown[];

  const readAll = async (world: World) => [
    await readPublished(world, names),
    isAlone && (await readSite(world)),
  ];
  const nothingHasChanged = (world: World) =>
    vi.waitFor(async () => expect(await readAll(world)).toEqual(before), LATE_PUTS);

  sweep(title, {
    victim: 'api',
    callsNoStore,
    async prepare(world) {
      for (const { sitemapName, urlCount } of lists) {
        if (!world.history.sitemapNames.includes(sitemapName)) await world.publish(sitemapName, urlCount);
      }
      await world.compareAll();
      // A comparison would fill the outbox. The lists beside need none.
      if (isAlone) await world.database.query('UPDATE domains SET index_now = true');
      before = await readAll(world);
      resent = [];
      for (const sitemapName of names) {
        resent.push({
          sitemapName,
          upload: world.resend(world.history.liveUpload(sitemapName), hasKey ? randomUUID() : undefined),
          before: await readRecorded(world, sitemapName),
          acknowledged: new Set(),
        });
      }
    },
    async run(world) {
      const isPublished = world.uploadTogether(beside);
      await Promise.all(
        resent.map(async (one) => {
          one.first = await one.upload.send();
          if (one.first !== undefined) one.acknowledged.add(unchangedId(one.first));
        }),
      );
      return (await isPublished) && resent.every(({ first }) => first !== undefined);
    },
    async again(world) {
      expect(await readPublished(world, names)).toEqual(before[0]);
      for (const { sitemapName, acknowledged, before } of resent) {
        const recorded = await readRecorded(world, sitemapName);
        expect(isConfirmed(recorded, before)).toBe(recorded.unchanged.length > before.unchanged.length);
        const answer = await world.resend(world.history.liveUpload(sitemapName)).send();
        expect(answer).toBeDefined();
        acknowledged.add(unchangedId(answer!));
      }
    },
    async check(world) {
      await nothingHasChanged(world);
      for (const { upload, first, acknowledged } of hasKey ? resent : []) {
        const { answer, wasDoneBefore } = await sendAgain(upload, first);
        acknowledged.add(unchangedId(answer));
        if (wasDoneBefore) continue;
        await world.passTime();
        await world.checkAll();
        await nothingHasChanged(world);
      }
      for (const one of resent) await checkRecorded(world, one);
      const recorded = await Promise.all(names.map((name) => readRecorded(world, name)));
      expect(await sumUnchanged(world)).toBe(recorded.flatMap(({ unchanged }) => unchanged).length);
      expect(world.pings).toEqual([]);
    },
  });

  /** Checks that each acknowledged upload was recorded once. An upload whose answer was lost may have been recorded. */
  async function checkRecorded(world: World, { sitemapName, before, acknowledged }: Resent): Promise<void> {
    const recorded = await readRecorded(world, sitemapName);
    expect(recorded.published).toBe(before.published);
    expect(isConfirmed(recorded, before)).toBe(true);
    const added = recorded.unchanged.filter((id) => !before.unchanged.includes(id));
    expect(added).toEqual(expect.arrayContaining([...acknowledged]));
    // A request with a key was acknowledged in the end.
    if (hasKey) expect(added.length).toBe(2);
    expect(added.length).toBeLessThanOrEqual(2);
  }
}

/** Returns the id in an answer. The answer must say that the upload changes nothing. */
function unchangedId({ body }: Received): string {
  const { data } = JSON.parse(String(body));
  expect(data).toMatchObject({ unchanged: true, filesChanged: 0, searchPing: { status: 'skipped' } });
  return data.uploadId;
}

const isConfirmed = ({ confirmedAt }: Recorded, before: Recorded) =>
  Number(confirmedAt) > Number(before.confirmedAt);

sweepRepetition('a small list that is sent again', {
  lists: [{ sitemapName: '', urlCount: 60 }],
  callsNoStore: true,
});

sweepRepetition('a list of three files that is sent again', { lists: [{ sitemapName: '', urlCount: 2500 }] });

sweepRepetition('a list of three files that is sent again with an Idempotency-Key', {
  lists: [{ sitemapName: '', urlCount: 2500 }],
  hasKey: true,
});

/** The first one of the four is alone under way while the others become a group. */
sweepRepetition('two small lists that are sent again beside two that are published', {
  lists: [
    { sitemapName: '', urlCount: 60 },
    { sitemapName: 'news', urlCount: 61 },
  ],
  beside: [
    { sitemapName: 'more', urlCount: 62 },
    { sitemapName: 'other', urlCount: 63 },
  ],
});

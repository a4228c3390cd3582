/** Any sequence of changes, in any order of arrival, against a naive model: a map from URLs to their newest changes. */
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LeftOutReason } from '../../src/features/entries/changed-entries.ts';
import { EntryPacker } from '../../src/features/entries/entry-pack.ts';
import { recentStateKey, uploadFileKey } from '../../src/features/sites/site.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { SITEMAP_SCHEMA, schemaErrors } from '../sitemap/schema-judge.ts';
import { isHere } from '../support/needs.ts';
import { casesOf } from '../support/property-runs.ts';
import { createRecentWorld } from './recent-world.ts';

const world = await createRecentWorld();
const { database, storage } = world;

const NAMES = ['', 'products', 'news'];
const HOUR = 3600;
const URLS_OF_SITEMAP = 100_000;

/** The n-th form of an entry. */
const xmlOf = (name: string, n: number, form: number) =>
  `<url><loc>${locOf(name, n)}</loc>${form % 2 === 0 ? '' : `<image:image><image:loc>https://example.com/${form}.png</image:loc></image:image>`}</url>\n`;
const locOf = (name: string, n: number) => `https://example.com/${name}/${n}`;

const generation = fc.record({
  kind: fc.constant('generation' as const),
  sitemap: fc.nat({ max: NAMES.length - 1 }),
  // Some are many, so that there are several fragments.
  from: fc.nat({ max: 40 }),
  count: fc.oneof(
    { weight: 4, arbitrary: fc.nat({ max: 6 }) },
    { weight: 1, arbitrary: fc.nat({ max: 1500 }) },
  ),
  removes: fc.nat({ max: 3 }),
  isLate: fc.boolean(),
});
const step = fc.oneof(
  { weight: 6, arbitrary: generation },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.nat({ max: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('left out' as const),
      sitemap: fc.nat({ max: NAMES.length - 1 }),
      reason: fc.constantFrom<LeftOutReason>('first', 'unknown', 'xml-version'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose the state' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('hours' as const), hours: fc.integer({ min: 1, max: 6 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

interface Known {
  readonly name: string;
  readonly seq: number;
  readonly at: number;
  /** Undefined: the URL was removed. */
  readonly xml: string | undefined;
}

/** The rules of `merge-changes.ts`, to the letter. */
class Model {
  readonly known = new Map<string, Known>();
  readonly cuts = new Map<string, { seq: number; at: number }>();

  cut(name: string, seq: number, at: number): void {
    const former = this.cuts.get(name) ?? { seq: 0, at: 0 };
    this.cuts.set(name, { seq: Math.max(seq, former.seq), at: Math.max(at, former.at) });
  }

  add(loc: string, change: Known): void {
    const former = this.known.get(loc);
    if (former === undefined || former.seq < change.seq) this.known.set(loc, change);
  }

  settle(windowFrom: number): void {
    for (const [loc, { name, seq, at }] of this.known) {
      if (at <= windowFrom || seq <= (this.cuts.get(name)?.seq ?? 0)) this.known.delete(loc);
    }
    for (const [name, { at }] of this.cuts) if (at <= windowFrom) this.cuts.delete(name);
  }

  entries(): string[] {
    return [...this.known.values()].flatMap(({ xml }) => xml ?? []).sort();
  }
}

async function play(steps: readonly Step[]): Promise<void> {
  const domain = await world.addDomain({ enabled: true, hours: 3 });
  for (const [n, name] of NAMES.entries()) {
    const uploadId = `${domain.id}-${n}`;
    await database.query(
      `INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes, seq)
       VALUES ($1, $2, $3, $4, 1, 1, 1, 1)`,
      [uploadId, domain.id, name, URLS_OF_SITEMAP],
    );
    await database.query('INSERT INTO sitemaps (domain_id, name, upload_id) VALUES ($1, $2, $3)', [
      ...[domain.id, name, uploadId],
    ]);
  }
  const model = new Model();
  const seqs = NAMES.map(() => 1);
  let [hours, now] = [3, 1_800_000_000];
  /** Changes that have happened and have not arrived yet. */
  let late: (() => Promise<void>)[] = [];
  const insert = (name: string, seq: number, content: Buffer | null, leftOut: LeftOutReason | null) => {
    const at = now;
    return async () => {
      await database.query(
        `INSERT INTO changed_entries (domain_id, sitemap_name, seq, changed_at, left_out, content, bytes)
         VALUES ($1, $2, $3, to_timestamp($4), $5, $6, $7)`,
        [domain.id, name, seq, at, leftOut, content, content?.length ?? 0],
      );
    };
  };
  const nextSeq = async (sitemap: number) => {
    await database.query('UPDATE uploads SET seq = seq + 1 WHERE id = $1', [`${domain.id}-${sitemap}`]);
    return ++seqs[sitemap]!;
  };
  let isLost = false;
  let form = 0;
  for (const one of steps) {
    // Postgres and the model have one clock.
    now++;
    if (one.kind === 'wait') now += HOUR * one.hours;
    else if (one.kind === 'hours') {
      hours = one.hours;
      await domain.change({ hours });
    } else if (one.kind === 'left out') {
      const name = NAMES[one.sitemap]!;
      const seq = await nextSeq(one.sitemap);
      await insert(name, seq, null, one.reason)();
      model.cut(name, seq, now);
    } else if (one.kind === 'generation') {
      const name = NAMES[one.sitemap]!;
      const seq = await nextSeq(one.sitemap);
      const packer = new EntryPacker(name);
      form++;
      const changes: [string, Known][] = [];
      for (let n = one.from; n < one.from + one.count; n++) {
        const xml = xmlOf(name, n, form);
        packer.add(locOf(name, n), Buffer.from(xml));
        changes.push([locOf(name, n), { name, seq, at: now, xml }]);
      }
      for (let n = one.from + one.count; n < one.from + one.count + one.removes; n++) {
        packer.remove(locOf(name, n));
        changes.push([locOf(name, n), { name, seq, at: now, xml: undefined }]);
      }
      const put = insert(name, seq, packer.end()!, null);
      const arrive = async () => {
        await put();
        for (const [loc, change] of changes) model.add(loc, change);
      };
      if (one.isLate) late.push(arrive);
      else await arrive();
    } else if (one.kind === 'lose the state') {
      const { uploadId } = await version(domain.id);
      if (uploadId === null) continue;
      await storage.put(recentStateKey(uploadId), [Buffer.from('damaged')]);
      isLost = true;
    } else {
      if (isLost) for (const [i, name] of NAMES.entries()) model.cut(name, seqs[i]!, now);
      isLost = false;
      await domain.write({ now: () => now, entriesPerFile: 1000 });
      model.settle(now - hours * HOUR);
      await expectModel(domain.id, model);
      for (const arrive of late) await arrive();
      late = [];
    }
  }
}

async function version(domainId: string) {
  const { rows } = await database.query(
    'SELECT upload_id AS "uploadId", files, url_count AS urls, left_out AS cuts FROM recent_sitemaps WHERE domain_id = $1',
    [domainId],
  );
  return rows[0];
}

async function expectModel(domainId: string, model: Model): Promise<void> {
  const { uploadId, files, urls, cuts } = await version(domainId);
  const xml: string[] = [];
  for (const [i] of files.entries()) {
    xml.push(gunzipSync((await readObject(storage, uploadFileKey(uploadId, i + 1)))!).toString());
  }
  const found = xml.flatMap((file) => file.match(/<url>.*?<\/url>\n/gs) ?? []).sort();
  expect(found).toEqual(model.entries());
  expect(urls).toBe(found.length);
  expect(files.map(({ entries }: { entries: number }) => entries)).toEqual(
    xml.map((file) => file.match(/<url>/g)!.length),
  );
  const named = cuts.map(({ sitemapName }: { sitemapName: string }) => sitemapName).sort();
  expect(named).toEqual(expect.arrayContaining([...model.cuts.keys()]));
  if (isHere('xmllint') && isHere('the public schemas') && xml.length > 0) {
    expect(schemaErrors(SITEMAP_SCHEMA, ...xml)).toBe('');
  }
}

test('the recent files have the newest entry of each URL that changed in the window, and no other', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), play), {
    numRuns: casesOf(25),
  });
});

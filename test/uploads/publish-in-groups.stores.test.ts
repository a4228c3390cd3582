/** Uploads that are published in a group: as if each were published alone, one after the other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { revokeKey } from '../../src/features/accounts/key-store.ts';
import type { Domain } from '../../src/features/domains/domain.ts';
import { deleteDomainRow } from '../../src/features/domains/domain-store.ts';
import { openChange } from '../../src/features/sites/change-site.ts';
import { requestWrites } from '../../src/features/sites/site-change-store.ts';
import { Attempt } from '../../src/features/uploads/attempt.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { publishAlone } from '../../src/features/uploads/publishing/publish-alone.ts';
import { createPublishInGroups } from '../../src/features/uploads/publishing/publish-in-groups.ts';
import { type SmallUpload, smallUpload } from '../../src/features/uploads/publishing/small-upload.ts';
import { stagedUpload } from '../../src/features/uploads/publishing/staged-upload.ts';
import type { StagedFile } from '../../src/features/uploads/staging.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction, type Transaction } from '../../src/platform/postgres/database.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { addAccount, addKey, addVerifiedDomain } from '../support/accounts.ts';
import { casesOf } from '../support/property-runs.ts';
import { createUploadFixture } from './upload-fixture.ts';

const { database, options: fixture, clock } = await createUploadFixture();
/** Sites are not written: what is due stays in the database. */
const writeSite = async () => {};
const changing = { openChange: () => openChange({ database, writeSite }) };
const options = { ...fixture, ...changing, writeSite, alone: 2 };
const SOURCE = { encoding: null, userAgent: null, userId: null };
const BYTES = 100;

interface World {
  readonly accounts: readonly { readonly id: string; readonly keyId: string; readonly domains: Domain[] }[];
}

async function createWorld(): Promise<World> {
  const accounts = [];
  for (let n = 0; n < 2; n++) {
    const id = await addAccount(database);
    const keyId = await addKey(database, id);
    accounts.push({
      id,
      keyId,
      domains: [await addVerifiedDomain(database, id), await addVerifiedDomain(database, id)],
    });
  }
  return { accounts };
}

interface Place {
  readonly account: number;
  readonly domain: number;
  readonly sitemapName: string;
}

/** An upload, as an arbitrary says it. */
interface Step extends Place {
  /** Each file by its content. */
  readonly files: readonly number[];
  readonly force: boolean;
  readonly ifGeneration: number | undefined;
  readonly storedBytes: number;
}

const places = {
  account: fc.nat(1),
  domain: fc.nat(1),
  sitemapName: fc.constantFrom('', 'news', '__proto__'),
};
const place = fc.record<Place>(places);
const steps = fc.array(
  fc.record<Step>({
    ...places,
    files: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
    force: fc.boolean(),
    ifGeneration: fc.option(fc.nat(4), { nil: undefined, freq: 5 }),
    storedBytes: fc.constantFrom(1e9, 1e9, 5 * BYTES),
  }),
  { minLength: 1, maxLength: 30 },
);

function memberOf({ accounts }: World, step: Step, digest = step.files.join('')): SmallUpload {
  const { id: accountId, keyId, domains } = accounts[step.account]!;
  const domain = domains[step.domain]!;
  const uploadId = newId('upload');
  const attempt = new Attempt(uploadId, { ...SOURCE, keyId });
  attempt.domain = domain;
  attempt.sitemapName = step.sitemapName;
  const allowance = { urlsPerUpload: 1e6, storedBytes: step.storedBytes, sitemapsPerDomain: 2 };
  const asked = {
    uploader: { accountId, keyId, session: null, address: null, allowance },
    domain,
    sitemapName: step.sitemapName,
    terms: { force: step.force, ifGeneration: step.ifGeneration },
  };
  const print = { digest, entriesPerFile: 50_000, xmlVersion: 1 };
  return smallUpload(
    { ...asked, id: uploadId, attempts: [attempt], onPublished: undefined },
    step.files.map(stagedFile),
    print,
  );
}

/** Has other content than all members before it. */
const changedMember = (world: World, step: Step) => memberOf(world, step, String(members++));
let members = 1_000_000;

/** The guard of a domain stops an upload that goes from 3,000 URLs to 1. */
function stagedFile(content: number, i: number): StagedFile {
  const entries = content === 3 ? 3000 : 1;
  const bytes = { bytes: 10 * BYTES, gzipBytes: BYTES, content: Buffer.alloc(BYTES, content) };
  return { n: i + 1, entries, etag: `etag-${content}`, fragments: [], ...bytes };
}

/** Publishes an upload alone, by other statements, as if it had objects. */
function publishOneByOne({ id: uploadId, files, content, ...asked }: SmallUpload) {
  const staged = { uploadId, files, print: content.print, hasObjects: false, keep: () => {} };
  return publishAlone(options, stagedUpload(asked, staged));
}

/** Deletes the sitemaps, as far as they exist. */
async function deleteSitemaps({ accounts }: World, deletions: readonly Place[]): Promise<void> {
  for (const { account, domain, sitemapName } of deletions) {
    await deleteSitemap(options, accounts[account]!.domains[domain]!, sitemapName).catch((error) => {
      if (!(error instanceof Refusal)) throw error;
    });
  }
}

const outcomeOf = (publishing: Promise<object>) =>
  publishing.then(
    (published) => ({ published }),
    (error) => {
      if (!(error instanceof Refusal)) throw error;
      return { refused: error.message.replaceAll(/maps\d+/g, 'maps'), details: error.options.details };
    },
  );

/** All rows of a world, without ids and clocks. */
async function rowsOf({ accounts }: World) {
  const domains = accounts.flatMap((account) => account.domains.map(({ id }) => id));
  const read = async (text: string) => (await database.query(text, [domains])).rows;
  const place = 'array_position($1::text[], domain_id) AS domain, sitemap_name';
  return {
    uploads: await read(
      `SELECT ${place}, seq, kind, url_count, file_count, u.bytes, gzip_bytes, published_at, withdrawn,
              replaced_at IS NOT NULL AS replaced, g.collect_after < 'infinity' AS ends, g.bytes AS kept
         FROM uploads u LEFT JOIN garbage g ON g.prefix = 'uploads/' || u.id || '/'
        WHERE domain_id = ANY($1) ORDER BY 1, 2, 3`,
    ),
    files: await read(
      `SELECT array_position($1::text[], f.domain_id) AS domain, f.sitemap_name, f.from_seq, f.to_seq, f.n, f.upload_n, u.seq,
              f.entries, f.bytes, f.gzip_bytes, f.etag, f.last_modified, c.content
         FROM sitemap_files f JOIN uploads u ON u.id = f.upload_id
              LEFT JOIN small_files c ON c.upload_id = u.id AND c.n = f.upload_n
        WHERE f.domain_id = ANY($1) ORDER BY 1, 2, 3, 5`,
    ),
    sitemaps: await read(
      `SELECT array_position($1::text[], s.domain_id) AS domain, s.name, live.seq, compared.seq AS compared, s.updated_at
         FROM sitemaps s JOIN uploads live ON live.id = s.upload_id
              LEFT JOIN uploads compared ON compared.id = s.compared_upload_id
        WHERE s.domain_id = ANY($1) ORDER BY 1, 2`,
    ),
    domains: await read(
      `SELECT array_position($1::text[], id) AS domain, stored_bytes, generation > 0 AS changed,
              EXISTS (SELECT FROM site_changes c WHERE c.hostname = d.hostname) AS due
         FROM domains d WHERE id = ANY($1) ORDER BY 1`,
    ),
    attempts: await read(
      `SELECT ${place}, outcome, seq, url_count, file_count FROM attempts WHERE domain_id = ANY($1) ORDER BY 1, 2, 4, 3, 5, 6`,
    ),
  };
}

test('a group leaves what its members would leave one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.array(place), steps, async (first, deletions, second) => {
      const grouped = await createWorld();
      const alone = await createWorld();
      const publishSmall = createPublishInGroups(options);
      for (const [round, all] of [first, second].entries()) {
        if (round === 1) {
          for (const world of [grouped, alone]) await deleteSitemaps(world, deletions);
        }
        clock.now = new Date(Date.UTC(2026, 0, 15, 10 + round));
        const published = await Promise.all(
          all.map((step) => outcomeOf(publishSmall(memberOf(grouped, step)))),
        );
        const expected = [];
        for (const step of all) expected.push(await outcomeOf(publishOneByOne(memberOf(alone, step))));
        expect(published).toEqual(expected);
      }
      expect(await rowsOf(grouped)).toEqual(await rowsOf(alone));
    }),
    { numRuns: casesOf(30) },
  );
});

const STEP: Step = {
  ...{ account: 0, domain: 0, sitemapName: '', files: [1], force: false, ifGeneration: undefined },
  storedBytes: 1e9,
};

/** Publishes them all in one group: the first call is alone under way meanwhile. */
function publishTogether(
  world: World,
  members: readonly SmallUpload[],
  changed: Partial<typeof options> = {},
) {
  const publishSmall = createPublishInGroups({ ...options, ...changed });
  const before = publishSmall(changedMember(world, { ...STEP, sitemapName: 'before' }));
  return Promise.allSettled([before, ...members.map((member) => publishSmall(member))]).then(
    ([, ...outcomes]) => outcomes,
  );
}

test('a revoked key, a suspended account and a deleted domain are refused, and the others are published', async () => {
  const world = await createWorld();
  const suspended = await createWorld();
  const [account] = world.accounts;
  const revoked = { ...account!, keyId: await addKey(database, account!.id) };
  await revokeKey(database, revoked.keyId);
  await database.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [suspended.accounts[0]!.id]);
  const members = [
    changedMember(world, STEP),
    changedMember({ accounts: [revoked] }, STEP),
    changedMember(world, { ...STEP, domain: 1 }),
    changedMember(suspended, STEP),
    changedMember(world, { ...STEP, account: 1 }),
  ];
  await inTransaction(database, (transaction) => deleteDomainRow(transaction, account!.domains[1]!.id));
  expect(await publishTogether(world, members)).toMatchObject([
    { value: { generation: 1 } },
    { reason: { code: 'UNAUTHORIZED' } },
    { reason: { code: 'NOT_FOUND' } },
    { reason: { code: 'FORBIDDEN' } },
    { value: { generation: 1 } },
  ]);
});

test('a member that is the same as one of its group waits for the site of that one', async () => {
  const world = await createWorld();
  const failing = async () => {
    throw new Error('the store is down');
  };
  // Another domain: the site of the first member must not be due before the group.
  const step = { ...STEP, domain: 1 };
  const both = [memberOf(world, step), memberOf(world, step)];
  expect(await publishTogether(world, both, { writeSite: failing })).toMatchObject([
    { reason: { message: 'the store is down' } },
    { reason: { message: 'the store is down' } },
  ]);
  const { rows } = await database.query('SELECT seq FROM uploads WHERE domain_id = $1', [both[0]!.domain.id]);
  expect(rows).toEqual([{ seq: 1 }]);
});

/** Takes locks. Returns how they end. */
async function hold(lock: (transaction: Transaction) => Promise<unknown>): Promise<() => Promise<void>> {
  const released = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = inTransaction(database, async (transaction) => {
    await lock(transaction);
    isHeld.resolve();
    await released.promise;
  });
  await isHeld.promise;
  return () => {
    released.resolve();
    return holding;
  };
}

test('whoever holds a domain holds up its own uploads, and no others', async () => {
  const world = await createWorld();
  const [held] = world.accounts[0]!.domains;
  const release = await hold((transaction) =>
    transaction.query('SELECT FROM domains WHERE id = $1 FOR UPDATE', [held!.id]),
  );
  const publishSmall = createPublishInGroups(options);
  const waiting = [1, 2, 3].map(() => publishSmall(changedMember(world, STEP)));
  await publishSmall(changedMember(world, { ...STEP, account: 1 }));
  await publishSmall(changedMember(world, { ...STEP, account: 1 }));
  await release();
  const generations = (await Promise.all(waiting)).map(({ generation }) => generation);
  expect(generations.sort()).toEqual([1, 2, 3]);
});

test('whoever holds what is locked late holds up its own account, and no others', async () => {
  const world = await createWorld();
  const { hostname } = world.accounts[0]!.domains[0]!;
  const release = await hold((transaction) => requestWrites(transaction, [hostname]));
  const publishSmall = createPublishInGroups(options);
  // More of the account than may be published alone at once.
  const waiting = [1, 2, 3].map(() => publishSmall(changedMember(world, STEP)));
  await publishSmall(changedMember(world, { ...STEP, account: 1 }));
  await release();
  const generations = (await Promise.all(waiting)).map(({ generation }) => generation);
  expect(generations.sort()).toEqual([1, 2, 3]);
});

test('a member whose answer cannot be recorded fails alone', async () => {
  const world = await createWorld();
  const failing = (error: unknown) => ({
    ...changedMember(world, STEP),
    onPublished: async () => {
      throw error;
    },
  });
  const refusal = new Refusal('CONFLICT', 'taken over');
  const outcomes = await publishTogether(world, [
    changedMember(world, STEP),
    failing(refusal),
    changedMember(world, STEP),
  ]);
  expect(outcomes).toMatchObject([
    { value: { generation: 1 } },
    { reason: refusal },
    { value: { generation: 2 } },
  ]);
});

test('a value that Postgres refuses spoils only its own upload', async () => {
  const world = await createWorld();
  const spoiled = changedMember(world, { ...STEP, sitemapName: '\0' });
  const outcomes = await publishTogether(world, [
    changedMember(world, STEP),
    spoiled,
    changedMember(world, STEP),
  ]);
  expect(outcomes).toMatchObject([
    { value: { generation: 1 } },
    { status: 'rejected' },
    { value: { generation: 2 } },
  ]);
});

test.each([
  ['the connection is lost', 'SELECT pg_terminate_backend(pg_backend_pid())'],
  ['nobody knows what became of it', "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40003'; END $$"],
])('when %s, nobody is published twice', async (_, statement) => {
  const world = await createWorld();
  const cut = {
    ...changedMember(world, STEP),
    onPublished: async (transaction: Transaction) => {
      await transaction.query(statement);
    },
  };
  const outcomes = await publishTogether(world, [
    changedMember(world, STEP),
    cut,
    changedMember(world, STEP),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const { rows } = await database.query('SELECT FROM uploads WHERE domain_id = $1 AND sitemap_name = $2', [
    ...[world.accounts[0]!.domains[0]!.id, ''],
  ]);
  expect(rows).toEqual([]);
});

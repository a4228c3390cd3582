/** Loads over real stores and an invented world: processes that die, come late, end or are told to stop. */
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPlans } from '../../../src/features/accounts/plans.ts';
import { endAllSessions } from '../../../src/features/accounts/session-store.ts';
import { uploadPrefix } from '../../../src/features/sites/site.ts';
import { findAttempt } from '../../../src/features/uploads/attempt-store.ts';
import { askLoad } from '../../../src/features/uploads/loads/ask-load.ts';
import { cancelLoad } from '../../../src/features/uploads/loads/cancel-load.ts';
import { type AskedLoad, describeLoad } from '../../../src/features/uploads/loads/load.ts';
import {
  deleteOldLoads,
  renewLoad,
  type TakenLoad,
  takeLoads,
} from '../../../src/features/uploads/loads/load-store.ts';
import { putList } from '../../../src/features/uploads/loads/object-store.ts';
import { runLoad } from '../../../src/features/uploads/loads/run-load.ts';
import { discardHeldUpload } from '../../../src/features/uploads/publishing/discard-held-upload.ts';
import { sweepSessions } from '../../../src/features/uploads/sessions/end-sessions.ts';
import { findSession } from '../../../src/features/uploads/sessions/session-store.ts';
import type { ReadOutside } from '../../../src/platform/http/read-outside.ts';
import { createDatabasePool, inTransaction } from '../../../src/platform/postgres/database.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { collectLog } from '../../support/collect-log.ts';
import { addSignedIn } from '../../support/people.ts';
import { indexOf, sitemapOf } from '../../support/source-host.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true });
const { database } = fixture;

const ORIGIN = 'https://www.example.com';
const TERMS = {
  ...({ sizeLimit: 'standard', onInvalid: 'fail', maxRejected: 0, maxRejectedPercent: null } as const),
  ...{ expectedUrlCount: null, placement: null },
};
const ASKED: AskedLoad = {
  ...{ sources: [`${ORIGIN}/index.xml`], form: null, dialect: {}, onMissing: 'fail', allowHosts: [] },
  ...{ ifGeneration: null, force: false, connection: null, ifChanged: false },
};

/** The objects of the world by path. A function may wait or throw. */
const world = new Map<string, string | (() => Promise<string>)>();
const reads: string[] = [];
beforeEach(() => {
  world.clear();
  reads.length = 0;
  counted.length = 0;
  world.set('/index.xml', indexOf(`${ORIGIN}/1.xml`, `${ORIGIN}/2.xml`));
  for (const n of [1, 2]) world.set(`/${n}.xml`, sitemapOf(`${ORIGIN}/page/${n}`));
});

const read: ReadOutside = async ({ url }) => {
  const { pathname } = new URL(url);
  reads.push(pathname);
  const object = world.get(pathname);
  const content = Buffer.from(typeof object === 'function' ? await object() : (object ?? ''));
  const status = object === undefined ? 404 : 200;
  const headers = { 'content-length': String(content.length) };
  return { status, url, headers, body: Readable.from([content]), end: () => {} };
};

const refused: string[] = [];
/** The counted ends of loads, with their URLs. */
const counted: string[] = [];
let running = 0;
afterEach(() => expect(running).toBe(0));
const run = (load: TakenLoad, ending = new AbortController().signal, options = fixture.options) =>
  runLoad(
    {
      ...options,
      reader: { read, random: () => 0, maxBytes: 1e6, idleMs: 1000, maxWaitMs: 1 },
      ...{ plans: readPlans(), log: collectLog() },
      reachStore: () => Promise.reject(new Error('no load here has a connection')),
      reports: {
        received: () => {},
        loadBegins: () => {
          running += 1;
          return () => {
            running -= 1;
          };
        },
        loadEnded: (outcome, { urlCount }) => void counted.push(`${outcome} ${urlCount}`),
      },
      emitRefused: (_accountId, { uploadId }) => void refused.push(uploadId),
    },
    load,
    ending,
  );

async function newLoad(asked: Partial<AskedLoad> = {}) {
  const accountId = await addAccount(database);
  const domain = await addVerifiedDomain(database, accountId);
  const caller = await fixture.uploaderOf(accountId);
  const given = { hostname: domain.hostname, sitemapName: '', terms: TERMS };
  const { id, sessionId } = await askLoad(fixture.options, caller, given, { ...ASKED, ...asked }, null);
  return {
    ...{ id, accountId, caller },
    attempt: async () => (await findAttempt(database, accountId, id))!,
    session: () => findSession(database, accountId, sessionId),
    lapse: () => database.query('UPDATE loads SET lease_until = now() WHERE id = $1', [id]),
    /** Some process has begun the load so many hours ago. */
    begin: (hours: number) =>
      database.query(`UPDATE loads SET begun_at = now() - $2 * interval '1 hour' WHERE id = $1`, [id, hours]),
  };
}

/** There is only one load under way at a time here. */
async function take(): Promise<TakenLoad> {
  const [load, ...others] = await takeLoads(database, 5);
  expect(others).toEqual([]);
  return load!;
}

function gate() {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const wait = async (content: string) => {
    reach();
    await opened;
    return content;
  };
  return { reached, open, wait };
}

test('a load is listed, read and published, and its addresses are gone', async () => {
  const load = await newLoad();
  expect(await load.attempt()).toMatchObject({ outcome: 'running', load: { isListed: false } });
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published', urlCount: 2, seq: 1 });
  expect(await load.session()).toMatchObject({ status: 'committed', parts: 2 });
  expect(await takeLoads(database, 5)).toEqual([]);
  const { rows } = await database.query('SELECT asked FROM loads WHERE id = $1', [load.id]);
  expect(rows).toEqual([{ asked: {} }]);
});

test('a long list is stored, although a busy database takes longer than for other statements', async () => {
  const load = await newLoad();
  const taken = await take();
  await database.query(`
    CREATE FUNCTION be_busy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2.2); RETURN NULL; END $$;
    CREATE TRIGGER be_busy BEFORE INSERT ON load_objects FOR EACH STATEMENT EXECUTE FUNCTION be_busy()`);
  const ordinary = createDatabasePool(new Secret(database.options.connectionString!), 1, collectLog(), 2000);
  try {
    const object = { n: 0, url: `${ORIGIN}/1.xml`, depth: 1, etag: null, bytes: null, isIndex: false };
    await inTransaction(ordinary, (transaction) => putList(transaction, taken, [object], 0, null));
  } finally {
    await ordinary.end();
    await database.query('DROP FUNCTION be_busy CASCADE');
  }
  expect(await load.attempt()).toMatchObject({ load: { isListed: true, objects: 1 } });
  await cancelLoad(database, load.caller, load.id);
});

/** Makes a person the one who asked for the load. */
async function askedByPerson({ id, accountId }: Awaited<ReturnType<typeof newLoad>>) {
  const { session } = await addSignedIn(database, accountId);
  await database.query('UPDATE loads SET key_id = NULL, user_id = $2, user_session_id = $3 WHERE id = $1', [
    id,
    session.userId,
    session.id,
  ]);
  return session;
}

test('a load is published after its person has signed out', async () => {
  const load = await newLoad();
  const { userId } = await askedByPerson(load);
  await endAllSessions(database, userId);
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published', userId });
});

test('what was left out of an object is told once', async () => {
  const load = await newLoad();
  const wrong = (n: number) =>
    sitemapOf(`${ORIGIN}/page/${n}`).replace('<urlset', '<urlset xmlns:image="https://wrong.example"');
  for (const n of [1, 2]) world.set(`/${n}.xml`, wrong(n));
  await run(await take());
  const { load: view } = await load.attempt();
  expect(describeLoad(view!).warnings).toEqual([
    expect.stringMatching(
      /^https:\/\/www\.example\.com\/[12]\.xml: Elements with the prefix image are ignored/,
    ),
  ]);
});

test('a process that comes late, after another one has gone on, changes nothing', async () => {
  const load = await newLoad();
  const hangs = gate();
  const second = sitemapOf(`${ORIGIN}/page/2`);
  world.set('/2.xml', () => hangs.wait(sitemapOf(`${ORIGIN}/late`)));
  const late = run(await take());
  await hangs.reached;
  await expect.poll(async () => (await load.attempt()).load).toMatchObject({ done: 1 });
  await load.lapse();
  world.set('/2.xml', second);
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published', urlCount: 2 });
  hangs.open();
  await late;
  expect(await load.attempt()).toMatchObject({ outcome: 'published', urlCount: 2 });
  expect(reads).toEqual(['/index.xml', '/1.xml', '/2.xml', '/2.xml']);
});

test('a process that ends gives its load back at once', async () => {
  const load = await newLoad();
  const hangs = gate();
  world.set('/2.xml', () => hangs.wait(sitemapOf(`${ORIGIN}/page/2`)));
  const ending = new AbortController();
  const ended = run(await take(), ending.signal);
  await hangs.reached;
  ending.abort();
  world.set('/2.xml', sitemapOf(`${ORIGIN}/page/2`));
  hangs.open();
  await ended;
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published', urlCount: 2 });
});

test('a load that is canceled while it is read ends, and its session with it', async () => {
  const load = await newLoad();
  const hangs = gate();
  world.set('/2.xml', () => hangs.wait(sitemapOf(`${ORIGIN}/page/2`)));
  const running = run(await take());
  await hangs.reached;
  await cancelLoad(database, load.caller, load.id);
  hangs.open();
  await running;
  expect(await load.attempt()).toMatchObject({ outcome: 'canceled', seq: null });
  expect(await load.session()).toMatchObject({ status: 'aborted' });
  await cancelLoad(database, load.caller, load.id);
  expect(refused).not.toContain(load.id);
});

test('a canceled load neither reads nor waits', async () => {
  const load = await newLoad();
  const progress = { bytes: 7, inflatedBytes: 7, urlCount: 1, retries: 1 };
  const nextTryAt = new Date().toISOString();
  await renewLoad(database, await take(), { ...progress, current: `${ORIGIN}/1.xml`, nextTryAt });
  await cancelLoad(database, load.caller, load.id);
  const { rows } = await database.query('SELECT progress FROM loads WHERE id = $1', [load.id]);
  expect(rows).toEqual([{ progress: { ...progress, current: null, nextTryAt: null } }]);
});

test('a process that ends waits for no commit of another one', async () => {
  const load = await newLoad();
  const ending = new AbortController();
  // Only the commit asks for the domain.
  const getDomain = () => Promise.reject(new Error('the database is down'));
  const options = { ...fixture.options, getDomain };
  await expect(run(await take(), ending.signal, options)).rejects.toThrow('the database is down');
  const { id } = (await load.session())!;
  await database.query(
    `UPDATE upload_sessions SET committing_until = now() + interval '1 hour' WHERE id = $1`,
    [id],
  );
  await load.lapse();
  const waiting = run(await take(), ending.signal);
  ending.abort();
  await waiting;
  expect(await load.attempt()).toMatchObject({ outcome: 'running' });
  await database.query('UPDATE upload_sessions SET committing_until = NULL WHERE id = $1', [id]);
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published', urlCount: 2 });
});

describe('a load that ends while a commit of it still has its lease', () => {
  /** Stops in the commit, after it has taken its lease and before its transaction. */
  async function committing() {
    const load = await newLoad();
    const stops = gate();
    const waiting = async <Result>(publish: () => Promise<Result>) => {
      await stops.wait('');
      return publish();
    };
    const { publishSmall, publishTurns } = fixture.options;
    const options = {
      ...fixture.options,
      publishSmall: (upload: Parameters<typeof publishSmall>[0]) => waiting(() => publishSmall(upload)),
      publishTurns: Object.assign(Object.create(publishTurns), {
        run: (owner: string, publish: () => Promise<unknown>) =>
          waiting(() => publishTurns.run(owner, publish)),
      }),
    };
    const late = run(await take(), undefined, options);
    await stops.reached;
    expect(await load.session()).toMatchObject({ status: 'committing' });
    return {
      ...load,
      /** The late commit goes on. Returns how many generations the load then is. */
      async goOn() {
        stops.open();
        await late;
        expect(await takeLoads(database, 5)).toEqual([]);
        return (await database.query('SELECT FROM uploads WHERE id = $1', [load.id])).rowCount;
      },
    };
  }

  test('is canceled, and the commit publishes nothing', async () => {
    const load = await committing();
    await cancelLoad(database, load.caller, load.id);
    expect(await load.goOn()).toBe(0);
    expect(await load.attempt()).toMatchObject({ outcome: 'canceled', seq: null });
    expect(await load.session()).toMatchObject({ status: 'aborted' });
    expect(counted).toEqual([]);
  });

  test('is refused after twelve hours by the next process, and the commit publishes nothing', async () => {
    const load = await committing();
    await load.lapse();
    await load.begin(13);
    await run(await take());
    expect(await load.attempt()).toMatchObject({ outcome: 'refused', code: 'REQUEST_TIMEOUT' });
    expect(await load.goOn()).toBe(0);
    expect(await load.attempt()).toMatchObject({ outcome: 'refused', seq: null });
    expect(await load.session()).toMatchObject({ status: 'aborted' });
    expect(counted).toEqual(['refused 0']);
  });

  test('is published once, by whichever commit comes first', async () => {
    const load = await committing();
    await load.lapse();
    await database.query('UPDATE upload_sessions SET committing_until = now() WHERE upload_id = $1', [
      load.id,
    ]);
    await run(await take());
    expect(await load.attempt()).toMatchObject({ outcome: 'published', seq: 1 });
    expect(await load.goOn()).toBe(1);
    expect(await load.attempt()).toMatchObject({ outcome: 'published', seq: 1 });
    expect(counted).toEqual(['accepted 2']);
  });
});

test('a process dies after it has held the upload, and the owner discards that: the load ends, and nothing is refused', async () => {
  const pages = Array.from({ length: 1200 }, (_, n) => `${ORIGIN}/page/2-${n}`);
  world.set('/2.xml', sitemapOf(...pages));
  const load = await newLoad();
  await run(await take());
  const { accountId, caller } = load;
  const { domainId, hostname } = (await load.session())!;
  await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [domainId]);
  world.set('/index.xml', indexOf(`${ORIGIN}/1.xml`));
  const given = { hostname, sitemapName: '', terms: TERMS };
  const { id, sessionId } = await askLoad(fixture.options, caller, given, ASKED, null);
  await run(await take());
  expect(await findAttempt(database, accountId, id)).toMatchObject({ outcome: 'held' });
  // The process dies before it ends the load.
  await database.query('UPDATE loads SET ended_at = NULL, asked = $2, lease_until = now() WHERE id = $1', [
    id,
    JSON.stringify(ASKED),
  ]);
  await discardHeldUpload(database, caller, id);
  expect(await findSession(database, accountId, sessionId)).toMatchObject({ status: 'expired' });
  await run(await take());
  expect(await findAttempt(database, accountId, id)).toMatchObject({ outcome: 'abandoned' });
  expect(refused).not.toContain(id);
  expect(await takeLoads(database, 5)).toEqual([]);
});

test('the lists of ended loads are deleted, however late, and those of others stay', async () => {
  const ended = await newLoad();
  await run(await take());
  await database.query(`UPDATE loads SET ended_at = now() - interval '9 days' WHERE id = $1`, [ended.id]);
  const other = await newLoad();
  world.set('/2.xml', () => Promise.reject(new Error('the database is down')));
  await expect(run(await take())).rejects.toThrow('the database is down');
  await deleteOldLoads(database);
  const { rows } = await database.query(
    'SELECT DISTINCT load_id AS id FROM load_objects WHERE load_id = ANY($1)',
    [[ended.id, other.id]],
  );
  expect(rows).toEqual([{ id: other.id }]);
  await cancelLoad(database, other.caller, other.id);
});

test('a load that was asked for while the clock was a year ahead is read all the same', async () => {
  const load = await newLoad();
  await database.query(`UPDATE loads SET created_at = now() + interval '1 year' WHERE id = $1`, [load.id]);
  await load.begin(-24 * 365);
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published', urlCount: 2 });
});

test('a load that waited for longer than it may take is read all the same', async () => {
  const load = await newLoad();
  await database.query(`UPDATE loads SET created_at = now() - interval '13 hours' WHERE id = $1`, [load.id]);
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published', urlCount: 2 });
});

test('a load that waited for days is read all the same', async () => {
  const load = await newLoad();
  const days = "interval '6 days'";
  await database.query(`UPDATE loads SET created_at = created_at - ${days} WHERE id = $1`, [load.id]);
  await database.query(`UPDATE upload_sessions SET created_at = created_at - ${days} WHERE upload_id = $1`, [
    load.id,
  ]);
  await database.query(`UPDATE garbage SET collect_after = collect_after - ${days} WHERE prefix = $1`, [
    uploadPrefix(load.id),
  ]);
  await sweepSessions(database);
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published', urlCount: 2 });
});

test('an outage leaves the load to a later try', async () => {
  const load = await newLoad();
  world.set('/1.xml', () => Promise.reject(new Error('the database is down')));
  await expect(run(await take())).rejects.toThrow('the database is down');
  expect(await load.attempt()).toMatchObject({ outcome: 'running' });
  world.set('/1.xml', sitemapOf(`${ORIGIN}/page/1`));
  await load.lapse();
  await run(await take());
  expect(await load.attempt()).toMatchObject({ outcome: 'published' });
});

describe('what ends a load', () => {
  async function ended(
    load: Awaited<ReturnType<typeof newLoad>>,
    message: RegExp,
    code = 'VALIDATION_ERROR',
  ) {
    expect(await load.attempt()).toMatchObject({
      outcome: 'refused',
      code,
      message: expect.stringMatching(message),
    });
    expect(await load.session()).toMatchObject({ status: 'aborted' });
    expect(refused).toContain(load.id);
    expect(await takeLoads(database, 5)).toEqual([]);
  }

  test('its processes die again and again', async () => {
    const load = await newLoad();
    for (let death = 0; death < 5; death++) {
      await take();
      await load.lapse();
    }
    await run(await take());
    await ended(load, /again and again/, 'SERVICE_UNAVAILABLE');
    expect(reads).toEqual([]);
  });

  test('twelve hours', async () => {
    const load = await newLoad();
    await load.begin(13);
    await run(await take());
    await ended(load, /12 hours/, 'REQUEST_TIMEOUT');
  });

  test('its key is revoked', async () => {
    const load = await newLoad();
    await database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [load.caller.keyId]);
    await run(await take());
    await ended(load, /key/i, 'UNAUTHORIZED');
  });

  test('its person leaves the account', async () => {
    const load = await newLoad();
    const { userId } = await askedByPerson(load);
    await database.query('DELETE FROM members WHERE user_id = $1', [userId]);
    await run(await take());
    await ended(load, /^The person who asked for this load is no longer a member/, 'UNAUTHORIZED');
  });

  test('an index that proves to be too deep', async () => {
    const load = await newLoad();
    world.set('/1.xml', indexOf(`${ORIGIN}/deep.xml`));
    world.set('/deep.xml', indexOf(`${ORIGIN}/deeper.xml`));
    await run(await take());
    await ended(load, /deep.xml is an index below 2 others/);
  });

  test('an index beyond the limit', async () => {
    const load = await newLoad();
    const many = Array.from({ length: 9_999 }, (_, i) => `${ORIGIN}/many/${i}.xml`);
    world.set('/1.xml', indexOf(...many, `${ORIGIN}/one.xml`));
    world.set('/index.xml', indexOf(`${ORIGIN}/1.xml`, `${ORIGIN}/2.xml`));
    await run(await take());
    await ended(load, /1.xml leads beyond 10000 objects/);
  });

  test('two indexes that are read at once and are beyond the limit together', async () => {
    const load = await newLoad();
    const open = [gate(), gate()];
    for (const n of [1, 2]) {
      const many = Array.from({ length: 6_000 }, (_, i) => `${ORIGIN}/${n}/${i}.xml`);
      world.set(`/${n}.xml`, () => open[n - 1]!.wait(indexOf(...many)));
    }
    const running = run(await take());
    await Promise.all(open.map(({ reached }) => reached));
    for (const one of open) one.open();
    await running;
    await ended(load, /[12].xml leads beyond 10000 objects/);
  });

  test('what it loads is larger than four objects may be', async () => {
    const load = await newLoad();
    const text = `${ORIGIN}/${'a'.repeat(1000)}\n`.repeat(900);
    world.set('/index.xml', indexOf(...[1, 2, 3, 4, 5].map((n) => `${ORIGIN}/${n}.txt`)));
    for (const n of [1, 2, 3, 4, 5]) world.set(`/${n}.txt`, text);
    await run(await take());
    await ended(load, /larger than 4000000 bytes/, 'PAYLOAD_TOO_LARGE');
  });
});

test('an account has two loads at once, also while it asks for several', async () => {
  const load = await newLoad();
  const { rows } = await database.query('SELECT hostname FROM loads WHERE id = $1', [load.id]);
  const given = { hostname: rows[0].hostname, sitemapName: '', terms: TERMS };
  const asked = await Promise.allSettled(
    Array.from({ length: 4 }, () => askLoad(fixture.options, load.caller, given, ASKED, null)),
  );
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const reasons = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(reasons).toEqual(Array(3).fill('RATE_LIMIT_EXCEEDED'));
});

import type { QueryConfig } from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import {
  createUploadSlots,
  type SlotKind,
  SMALL_BODIES,
  type UploadSlots,
} from '../../src/features/accounts/upload-slots.ts';
import { collectLog } from '../support/collect-log.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { SOON } from '../support/soon.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();
const secondPool = createPatientPool(url, 20);
afterAll(() => secondPool.end());

const LIMIT = 3;
const LEASE_MS = 60_000;
const slotsOver = (pool = database, leaseMs = LEASE_MS) =>
  createUploadSlots(pool, { perAccount: LIMIT, perProcess: 1000, log: collectLog(), leaseMs });
/** Like two processes. */
const [first, second] = [slotsOver(), slotsOver(secondPool)];
const REFUSED = { code: 'RATE_LIMIT_EXCEEDED', options: { retryAfterSeconds: expect.any(Number) } };

/** An upload under way, until `end` is called. */
async function begin(slots: UploadSlots, accountId: string, kind?: SlotKind) {
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const under = () => {
    begun.resolve();
    return ending.promise;
  };
  const work = slots.hold(accountId, under, undefined, kind);
  await Promise.race([begun.promise, work]);
  return {
    end: () => {
      ending.resolve();
      return work;
    },
  };
}

async function rowsOf(accountId: string) {
  const { rows } = await database.query(
    'SELECT n, holder, expires_at > now() AS "isHeld" FROM upload_slots WHERE account_id = $1 ORDER BY n',
    [accountId],
  );
  return rows;
}

test('exactly the limit of many uploads of several processes at once is admitted, each time', async () => {
  for (let round = 0; round < 5; round++) {
    const over = Promise.withResolvers<void>();
    let going = 0;
    const refusals: unknown[] = [];
    const uploads = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? first : second)
        .hold('account_many', () => {
          going++;
          return over.promise;
        })
        .catch((error) => refusals.push(error)),
    );
    await vi.waitFor(() => expect(refusals).toHaveLength(20 - LIMIT), SOON);
    for (const refusal of refusals) expect(refusal).toMatchObject(REFUSED);
    expect(going).toBe(LIMIT);
    over.resolve();
    await Promise.all(uploads);
    expect(await rowsOf('account_many')).toEqual([]);
  }
});

test('each account has its own slots', async () => {
  const uploads = await Promise.all(Array.from({ length: LIMIT }, () => begin(first, 'account_full')));
  await expect(second.hold('account_full', async () => {})).rejects.toMatchObject(REFUSED);
  expect(await second.hold('account_other', async () => 'done')).toBe('done');
  for (const { end } of uploads) await end();
  expect(await second.hold('account_full', async () => 'done')).toBe('done');
});

test('an account has 64 parts of sessions under way, over all processes, and its uploads beside them', async () => {
  const parts = await Promise.all(
    Array.from({ length: 64 }, (_, n) => begin(n % 2 === 0 ? first : second, 'account_parts', 'part')),
  );
  const uploads = await Promise.all(Array.from({ length: LIMIT }, () => begin(first, 'account_parts')));
  await expect(begin(first, 'account_parts', 'part')).rejects.toMatchObject({
    ...REFUSED,
    message: expect.stringContaining('64 parts'),
  });
  await expect(begin(first, 'account_parts')).rejects.toMatchObject(REFUSED);
  await parts[0]!.end();
  await (await begin(second, 'account_parts', 'part')).end();
  for (const { end } of [...parts, ...uploads]) await end();
});

test('a failing upload frees its slot and passes its error on', async () => {
  const problem = new Error('no');
  for (let n = 0; n <= LIMIT; n++) {
    await expect(first.hold('account_failing', () => Promise.reject(problem))).rejects.toBe(problem);
    await expect(
      first.hold('account_failing', () => {
        throw problem;
      }),
    ).rejects.toBe(problem);
  }
});

test('the slots of a dead process are free after their lease', async () => {
  await Promise.all(Array.from({ length: LIMIT }, () => begin(first, 'account_dead')));
  await database.query("UPDATE upload_slots SET expires_at = now() WHERE account_id = 'account_dead'");
  const upload = await begin(second, 'account_dead');
  expect((await rowsOf('account_dead')).filter(({ isHeld }) => isHeld)).toHaveLength(1);
  await upload.end();
});

test('an upload that ends after its lease leaves the slot to its new holder', async () => {
  const late = await Promise.all(Array.from({ length: LIMIT }, () => begin(first, 'account_late')));
  await database.query("UPDATE upload_slots SET expires_at = now() WHERE account_id = 'account_late'");
  const next = await Promise.all(Array.from({ length: LIMIT }, () => begin(second, 'account_late')));
  for (const { end } of late) await end();
  expect(await rowsOf('account_late')).toHaveLength(LIMIT);
  for (const { end } of next) await end();
  expect(await rowsOf('account_late')).toEqual([]);
});

test('a lease is renewed during the upload, and taken again if Postgres lost it', async () => {
  const quick = slotsOver(database, 400);
  const upload = await begin(quick, 'account_long');
  const [row] = await rowsOf('account_long');
  const renewed = async () => {
    const query = "SELECT expires_at FROM upload_slots WHERE account_id = 'account_long'";
    return (await database.query(query)).rows[0]?.expires_at.getTime() ?? 0;
  };
  const taken = await renewed();
  await vi.waitFor(async () => expect(await renewed()).toBeGreaterThan(taken + 1000), SOON);
  await database.query('TRUNCATE upload_slots');
  await vi.waitFor(async () => expect(await rowsOf('account_long')).toEqual([row]), SOON);
  await upload.end();
  expect(await rowsOf('account_long')).toEqual([]);
});

test('each renewal says how far the upload is, and the next holder begins without', async () => {
  const quick = slotsOver(database, 400);
  let progress: object | undefined;
  const ending = Promise.withResolvers<void>();
  const work = quick.hold(
    'account_told',
    () => ending.promise,
    () => progress,
  );
  const told = async () =>
    (await database.query("SELECT progress FROM upload_slots WHERE account_id = 'account_told'")).rows[0]
      ?.progress;
  await vi.waitFor(async () => expect(await told()).toBeNull(), SOON);
  progress = { bytesReceived: 1 };
  await vi.waitFor(async () => expect(await told()).toEqual(progress), SOON);
  progress = { bytesReceived: 2 };
  await vi.waitFor(async () => expect(await told()).toEqual(progress), SOON);
  ending.resolve();
  await work;
  await database.query(
    `INSERT INTO upload_slots (account_id, n, holder, expires_at, progress)
     SELECT 'account_told', n, 'dead', now(), '{}' FROM generate_series(1, ${LIMIT}) AS n`,
  );
  const next = await begin(first, 'account_told');
  const { rows } = await database.query(
    "SELECT progress FROM upload_slots WHERE holder <> 'dead' AND account_id = 'account_told'",
  );
  expect(rows).toEqual([{ progress: null }]);
  await next.end();
});

test('an upload succeeds even if its slot cannot be freed', async () => {
  const log = collectLog();
  const pool = createPatientPool(url, 2);
  const slots = createUploadSlots(pool, { perAccount: LIMIT, perProcess: 1000, log, leaseMs: LEASE_MS });
  expect(
    await slots.hold('account_cut_off', async () => {
      await pool.end();
      return 'done';
    }),
  ).toBe('done');
  expect(log.lines).toMatchObject([{ level: 'warn' }]);
});

test('a failed upload is answered even if the database hangs that frees its slot', async () => {
  const hanging = Object.create(database, {
    query: {
      value: (statement: QueryConfig) =>
        statement.name === 'free-upload-slot' ? new Promise(() => {}) : database.query(statement),
    },
  });
  const slots = createUploadSlots(hanging, { perAccount: LIMIT, perProcess: 1000, log: collectLog() });
  const work = () => Promise.reject(new Error('the database does not answer'));
  await expect(slots.hold('account_hanging', work)).rejects.toThrow('the database does not answer');
});

test('beyond the limit of the process no account gets a slot until an upload ends in any way', async () => {
  const slots = createUploadSlots(database, { perAccount: LIMIT, perProcess: 2, log: collectLog() });
  const uploads = [await begin(slots, 'busy-1'), await begin(slots, 'busy-2')];
  await expect(begin(slots, 'busy-3')).rejects.toMatchObject(REFUSED);
  expect(await rowsOf('busy-3')).toEqual([]);
  await uploads[0]!.end();
  await expect(slots.hold('busy-3', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const next = await begin(slots, 'busy-3');
  await expect(begin(slots, 'busy-1')).rejects.toMatchObject(REFUSED);
  await next.end();
  await uploads[1]!.end();
});

test('parts of an account take half of the free places of a process, so the uploads of others find one', async () => {
  const slots = createUploadSlots(database, { perAccount: LIMIT, perProcess: 9, log: collectLog() });
  const begun: Awaited<ReturnType<typeof begin>>[] = [];
  const beginParts = async (accountId: string) => {
    let parts = 0;
    for (; parts < 9; parts++) {
      const part = await begin(slots, accountId, 'part').catch((error) => error);
      if (part instanceof Error) {
        expect(part).toMatchObject(REFUSED);
        return parts;
      }
      begun.push(part);
    }
    return parts;
  };
  expect([await beginParts('parts-1'), await beginParts('parts-2'), await beginParts('parts-3')]).toEqual([
    3, 2, 1,
  ]);
  begun.push(await begin(slots, 'no-parts'));
  for (const { end } of begun) await end();
  const single = createUploadSlots(database, { perAccount: LIMIT, perProcess: 1, log: collectLog() });
  await (await begin(single, 'parts-1', 'part')).end();
});

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('small uploads take memory of this process: an account has its share, and others have room', async () => {
  const slots = slotsOver();
  const over = Promise.withResolvers<string>();
  const quarter = SMALL_BODIES.perOwner / 4 - 8 * 1024;
  const hold = (accountId: string) => slots.holdMemory(accountId, quarter, () => over.promise);
  const holdAll = (accountId: string) => Array.from({ length: 4 }, () => hold(accountId));
  const held = holdAll('account_a');
  let isRun = false;
  const beyond = slots.holdMemory('account_a', 0, async () => {
    isRun = true;
  });
  await expect(beyond).rejects.toMatchObject({
    ...REFUSED,
    message: expect.stringContaining('as many small uploads under way as it may'),
  });
  expect(isRun).toBe(false);
  // However many accounts take all that they get, there is room for the next one.
  for (const greedy of ['account_b', 'account_c', 'account_d', 'account_e', 'account_f']) {
    let isRefused = false;
    const refused = (error: Error) => {
      isRefused = true;
      expect(error.message).toContain('as many uploads as it can');
    };
    const [first, ...others] = holdAll(greedy);
    held.push(first!);
    await Promise.all([...others.map((other) => Promise.race([other.catch(refused), tick()])), tick()]);
    expect(isRefused).toBe(true);
  }
  // These uploads take no slots, and slots take no memory.
  expect(await rowsOf('account_a')).toEqual([]);
  await (await begin(slots, 'account_a')).end();
  over.resolve('done');
  expect(new Set(await Promise.all(held))).toEqual(new Set(['done']));
  await Promise.all(holdAll('account_a'));
});

test('previews take memory of their own', async () => {
  const slots = slotsOver();
  const over = Promise.withResolvers<string>();
  const share = SMALL_BODIES.perOwner - 8 * 1024;
  const small = slots.holdMemory('account_a', share, () => over.promise);
  const preview = slots.holdPreview('account_a', share, () => over.promise);
  await expect(slots.holdPreview('account_a', 0, () => over.promise)).rejects.toMatchObject({
    ...REFUSED,
    message: expect.stringContaining('as many previews under way as it may'),
  });
  over.resolve('done');
  expect(await Promise.all([small, preview])).toEqual(['done', 'done']);
});

test('a small upload that fails gives its memory back', async () => {
  const slots = slotsOver();
  const failing = () =>
    slots.holdMemory('account_f', SMALL_BODIES.perOwner / 2, () => Promise.reject(new Error('no')));
  for (let n = 0; n < 4; n++) await expect(failing()).rejects.toThrow('no');
});

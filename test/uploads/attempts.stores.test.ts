import { expect, test } from 'vitest';
import { Attempt, type AttemptOutcome } from '../../src/features/uploads/attempt.ts';
import {
  deleteOldAttempts,
  findAttempt,
  insertAttempt,
  listAttempts,
  recordLostAttempts,
} from '../../src/features/uploads/attempt-store.ts';
import { createRecordAttempts } from '../../src/features/uploads/record-attempts.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const account = await addAccount(database);
let attempts = 0;

const SOURCE = { form: 'json', encoding: null, userAgent: null, keyId: 'key_a', userId: null } as const;
type Domain = { readonly id: string; readonly hostname: string };

function attemptOf(domain: Domain | undefined, changed: { userAgent?: string } = {}) {
  const attempt = new Attempt(`upload_${++attempts}`, { ...SOURCE, ...changed });
  attempt.domain = domain;
  return attempt;
}
const ended = (domain: Domain, outcome: AttemptOutcome = 'refused', error?: unknown) =>
  attemptOf(domain).end(outcome, error)!;
const countOf = async ({ id }: Domain) =>
  (await database.query('SELECT count(*)::integer AS count FROM attempts WHERE domain_id = $1', [id])).rows[0]
    .count;

test('what Postgres cannot store as it is comes back readable: NUL, lone surrogates, long texts, many violations', async () => {
  const domain = await addVerifiedDomain(database, account);
  const errors = Array.from({ length: 150 }, (_, i) => ({
    field: `urls[${i}].loc`,
    value: i === 0 ? 'a\0b\ud800' : 'x'.repeat(i < 50 ? 10 : 3000),
    message: 'must be a URL',
  }));
  const kinds = [
    { field: 'loc', message: 'must be a URL', count: 150, index: 0, value: 'a\0b\ud800', cures: [] },
  ];
  const refusal = new Refusal('VALIDATION_ERROR', 'urls[0].loc: \0 \ud800', {
    details: { errors, errorCount: 12_345, kinds },
  });
  const attempt = attemptOf(domain, { userAgent: `a\0${'b'.repeat(300)}` });
  await insertAttempt(database, attempt.end('refused', refusal)!);
  const found = (await findAttempt(database, account, attempt.id))!;
  expect(found).toMatchObject({ outcome: 'refused', code: 'VALIDATION_ERROR', errorCount: 12_345 });
  expect(found.message).toBe('urls[0].loc: \ufffd \ufffd');
  expect(found.userAgent).toBe(`a\ufffd${'b'.repeat(254)}`);
  expect(found.errors[0]).toEqual(errors[0]);
  expect(found.kinds).toEqual(kinds);
  expect(found.errors.length).toBeGreaterThan(50);
  expect(Buffer.byteLength(JSON.stringify(found.errors))).toBeLessThan(33_000);
});

test('the attempt of a domain that is gone leaves nothing, and fails nothing', async () => {
  const domain = await addVerifiedDomain(database, account);
  const attempt = ended(domain);
  await database.query('DELETE FROM domains WHERE id = $1', [domain.id]);
  await insertAttempt(database, attempt);
  expect(await findAttempt(database, account, attempt.id)).toBeUndefined();
  expect(attemptOf(undefined).end('refused', undefined)).toBeUndefined();
});

test('of a flood of refused uploads of an account, sixty a minute are recorded; other accounts keep theirs', async () => {
  const [domain, other] = [
    await addVerifiedDomain(database, account),
    await addVerifiedDomain(database, account),
  ];
  const underWay = new Set<Promise<unknown>>();
  const record = createRecordAttempts({ database, underWay, log: collectLog() });
  const flood = Array.from({ length: 100 }, () => record('account_of_flood', ended(domain)));
  await Promise.all([...flood, record('account_other', ended(other))]);
  expect(await countOf(domain)).toBe(60);
  expect(await countOf(other)).toBe(1);
  expect(underWay.size).toBe(0);
});

test('a database that fails costs one line in the log, and nothing else', async () => {
  const domain = await addVerifiedDomain(database, account);
  const log = collectLog();
  const underWay = new Set<Promise<unknown>>();
  const failing = { query: () => Promise.reject(new Error('down')) } as unknown as typeof database;
  const record = createRecordAttempts({ database: failing, underWay, log });
  for (let n = 0; n < 5; n++) await record(account, ended(domain));
  expect(log.lines).toMatchObject([{ level: 'warn' }]);
});

test('the attempt of a process that died has failed, and one that was only silent for long is what it became', async () => {
  const domain = await addVerifiedDomain(database, account);
  const [dead, silent, alive] = [attemptOf(domain), attemptOf(domain), attemptOf(domain)];
  dead.counts.bytesReceived = 7;
  for (const [n, { progress }] of [dead, silent, alive].entries()) {
    await database.query(
      `INSERT INTO upload_slots (account_id, n, holder, expires_at, progress)
       VALUES ($1, $2, '', now() - $3 * interval '1 second', $4)`,
      [account, n, n === 2 ? 1 : 61, JSON.stringify(progress)],
    );
  }
  await database.query(
    "INSERT INTO upload_slots (account_id, n, holder, expires_at) VALUES ('without progress', 1, '', now() - interval '1 hour')",
  );
  await recordLostAttempts(database);
  const { rows } = await database.query('SELECT n FROM upload_slots');
  expect(rows).toEqual([{ n: 2 }]);
  expect(await findAttempt(database, account, dead.id)).toMatchObject({
    outcome: 'failed',
    bytesReceived: 7,
  });
  expect(await findAttempt(database, account, alive.id)).toBeUndefined();
  await insertAttempt(database, silent.publish(4));
  expect(await findAttempt(database, account, silent.id)).toMatchObject({ outcome: 'published', seq: 4 });
});

test('an attempt that its transaction published or held stays so, whatever its process takes it for', async () => {
  const domain = await addVerifiedDomain(database, account);
  const [published, held] = [attemptOf(domain), attemptOf(domain)];
  await insertAttempt(database, published.publish(4));
  await insertAttempt(database, held.end('held', undefined)!);
  const lostCommit = new Error('the connection is gone');
  for (const attempt of [published, held]) await insertAttempt(database, attempt.end('failed', lostCommit)!);
  expect(await findAttempt(database, account, published.id)).toMatchObject({ outcome: 'published', seq: 4 });
  expect(await findAttempt(database, account, held.id)).toMatchObject({ outcome: 'held' });
});

test('attempts are kept for 90 days, and a thousand of a domain', async () => {
  const [busy, quiet] = [
    await addVerifiedDomain(database, account),
    await addVerifiedDomain(database, account),
  ];
  await database.query(
    `INSERT INTO attempts (id, domain_id, outcome, started_at, form, bytes_received, url_count, file_count, rejected, key_id)
     SELECT 'many_' || n, $1, 'refused', now(), 'json', 0, 0, 0, 0, 'k' FROM generate_series(1, 1003) AS n ORDER BY n`,
    [busy.id],
  );
  await insertAttempt(database, ended(quiet, 'failed', new Error('secret')));
  await insertAttempt(database, ended(quiet));
  await database.query(
    `UPDATE attempts SET ended_at = now() - interval '91 days' WHERE domain_id = $1 AND outcome = 'refused'`,
    [quiet.id],
  );
  await deleteOldAttempts(database);
  expect(await countOf(busy)).toBe(1000);
  const of = { accountId: account, domainId: busy.id };
  expect((await listAttempts(database, of, 1, undefined))[0]!.id).toBe('many_1003');
  const left = await listAttempts(database, { accountId: account, domainId: quiet.id }, 10, undefined);
  expect(left).toMatchObject([{ outcome: 'failed', code: null, message: null, errors: [] }]);
});

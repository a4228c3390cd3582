/** Examinations that an operator asks for: their records, and the state after a death or a failure. */
import { expect, test } from 'vitest';
import {
  askExamination,
  oneOfAllAtATime,
  workOnExamination,
} from '../../src/features/doctor/ask-examination.ts';
import {
  findExamination,
  insertExamination,
  listExaminations,
} from '../../src/features/doctor/examination-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const options = { database, newId };
const HEALTHY = { sites: 1, objects: 2, counts: {}, findings: [] };

test('one is asked for with its job, done once, and kept', async () => {
  const { hostname } = await addVerifiedDomain(database, await addAccount(database));
  const { id } = await askExamination(options, 'operator token ci', hostname);
  const { rows } = await database.query(
    "SELECT key FROM graphile_worker.jobs WHERE task_identifier = 'doctor.examine'",
  );
  expect(rows).toEqual([{ key: `doctor.examine ${id}` }]);
  expect(await findExamination(database, id)).toMatchObject({ hostname, startedAt: null, endedAt: null });
  let times = 0;
  const work = () =>
    workOnExamination(
      options,
      async () => {
        times++;
        expect(await findExamination(database, id)).toMatchObject({
          startedAt: expect.any(Date),
          endedAt: null,
        });
        return HEALTHY;
      },
      id,
    );
  await work();
  // A job may run again, after it has ended too.
  await work();
  expect(times).toBe(1);
  expect(await findExamination(database, id)).toMatchObject({
    result: HEALTHY,
    failure: null,
    endedAt: expect.any(Date),
  });
});

test('one that fails says why, and is tried again', async () => {
  const { id } = await askExamination(options, 'operator', null);
  const failing = workOnExamination(options, () => Promise.reject(new Error('no store')), id);
  await expect(failing).rejects.toThrow('no store');
  expect(await findExamination(database, id)).toMatchObject({ result: null, failure: 'no store' });
  await workOnExamination(options, async () => HEALTHY, 'examination_none');
  await workOnExamination(options, async () => HEALTHY, id);
  expect(await findExamination(database, id)).toMatchObject({ result: HEALTHY, failure: null });
});

test('of all domains, one at a time: the others take no place from other jobs, and come later', async () => {
  const { hostname } = await addVerifiedDomain(database, await addAccount(database));
  const ask = async (of: string | null) => (await askExamination(options, 'operator', of)).id;
  const [first, second, ofOne] = [await ask(null), await ask(null), await ask(hostname)];
  const begun: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const work = oneOfAllAtATime(database, async (id) => {
    begun.push(id);
    if (id === first) await mayEnd.promise;
  });
  const working = work(first);
  await expect.poll(() => begun).toEqual([first]);
  await work(second);
  await work(ofOne);
  expect(begun).toEqual([first, ofOne]);
  const { rows } = await database.query(
    `SELECT priority, run_at > now() AS "isLater" FROM graphile_worker.jobs WHERE key = ANY($1) ORDER BY run_at`,
    [[first, second].map((id) => `doctor.examine ${id}`)],
  );
  expect(rows).toEqual([
    { priority: 1, isLater: false },
    { priority: 1, isLater: true },
  ]);
  mayEnd.resolve();
  await working;
  await work(second);
  expect(begun).toEqual([first, ofOne, second]);
});

test('nobody examines a hostname that is not registered', async () => {
  const asking = askExamination(options, 'operator', 'nobody.example.net');
  await expect(asking).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('the newest hundred are kept, and listed page by page', async () => {
  for (let n = 0; n < 103; n++) {
    await insertExamination(database, { id: newId('examination'), hostname: null, askedBy: `${n}` });
  }
  const first = await listExaminations(database, 60);
  const rest = await listExaminations(database, 60, first.at(-1)!.position);
  const askers = [...first, ...rest].map(({ askedBy }) => askedBy);
  expect(askers).toEqual(Array.from({ length: 100 }, (_, n) => String(102 - n)));
});

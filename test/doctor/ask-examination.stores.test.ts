/** Examinations that an operator asks for: their records, and the state after a death or a failure. */
import { expect, test } from 'vitest';
import { askExamination, workOnExamination } from '../../src/features/doctor/ask-examination.ts';
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

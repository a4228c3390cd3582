/** The attempt of an upload that published nothing is recorded before its answer or after it: the error decides. */
import { expect, test } from 'vitest';
import { reportUpload } from '../../src/edges/api/report-upload.ts';
import { Attempt } from '../../src/features/uploads/attempt.ts';
import { GuardRefusal } from '../../src/features/uploads/guard.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { collectLog } from '../support/collect-log.ts';

const SHRINKAGE = {
  sitemapName: '',
  formerUrlCount: 2000,
  formerGeneration: 1,
  urlCount: 1,
  maxRemovedPercent: 50,
};

test.each<[string, Error, string[]]>([
  ['refused: before, so that the next one is newer', new Refusal('CONFLICT', 'no'), ['recorded', 'answered']],
  ['failed: after, because Postgres may be the cause', new Error('down'), ['answered', 'recorded']],
  ['held: already, where it is held', new GuardRefusal(SHRINKAGE, 'upload_a'), ['answered']],
])('%s', async (_, error, expected) => {
  const attempt = new Attempt('upload_a', { encoding: null, userAgent: null, keyId: 'key_a', userId: null });
  attempt.domain = { id: 'domain_a', hostname: 'maps.example.com' };
  const events: string[] = [];
  const needs = {
    log: collectLog(),
    reports: { uploadBegins: () => {}, uploadEnds: () => {} },
    emitRefused: () => {},
    uploads: { recordAttempt: () => new Promise(setImmediate).then(() => events.push('recorded')) },
  } as unknown as Parameters<typeof reportUpload>[0];
  const response = { locals: { caller: {} } } as unknown as Parameters<typeof reportUpload>[1];
  await expect(reportUpload(needs, response, attempt, () => Promise.reject(error))).rejects.toBe(error);
  events.push('answered');
  // A recording that began before has its turn by then.
  await new Promise(setImmediate);
  expect(events).toEqual(expected);
});

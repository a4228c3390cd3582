import { expect, test } from 'vitest';
import { createWebComplaints } from '../../src/core/web/complaints.ts';
import { collectLog } from '../support/collect-log.ts';

test('20 of many failures in 10 s are logged with their id, the first with its stack, and the rest is counted', () => {
  const clock = { now: 0 };
  const log = collectLog();
  const complain = createWebComplaints(log, () => clock.now);
  const err = new Error('no connection');
  for (let n = 0; n < 100; n++) complain.requestFailed({ err, ...{ requestId: n } });
  expect(log.lines).toHaveLength(20);
  expect(log.lines[0]).toMatchObject({
    level: 'error',
    message: 'request failed',
    details: { err, requestId: 0 },
  });
  expect(log.lines[19]!.details).toEqual({ err: 'no connection', requestId: 19, unsaid: 0 });
  clock.now = 10_000;
  complain.requestFailed({ err });
  expect(log.lines[20]!.details).toEqual({ err, unsaid: 80 });
});

test('each kind has its own bound', () => {
  const log = collectLog();
  const complain = createWebComplaints(log, () => 0);
  for (let n = 0; n < 100; n++) {
    complain.authenticationFailed({ client: '192.0.2.1' });
    complain.clientBlocked({ client: '192.0.2.1', seconds: 60 });
    complain.accountLimited({ accountId: 'acc_1', plan: 'free', requestsPerMinute: 5 });
    complain.accessRefused({ keyId: 'key_1' });
    complain.clientGone({ path: '/' });
  }
  const counts = Object.groupBy(log.lines, ({ level, message }) => `${level} ${message}`);
  expect(Object.fromEntries(Object.entries(counts).map(([kind, lines]) => [kind, lines?.length]))).toEqual({
    'info authentication failed': 20,
    'warn client blocked: too many failed authentications': 20,
    'info account over its limit of requests: its plan has the limits': 20,
    'info access refused': 20,
    'info client gone': 20,
  });
});

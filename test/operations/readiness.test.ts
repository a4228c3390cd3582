import { expect, test, vi } from 'vitest';
import { Readiness } from '../../src/operations/readiness.ts';
import { ConfigError } from '../../src/platform/process/config-error.ts';
import { collectLog } from '../support/collect-log.ts';

const down = () => Promise.reject(new Error('down'));

test('a process is ready from its start to its end, while its dependencies answer', async () => {
  let check: () => Promise<unknown> = async () => {};
  const log = collectLog();
  const readiness = new Readiness(log);
  expect(await readiness.judge()).toEqual({ status: 'starting' });
  readiness.begin({ database: () => check(), 'object storage': async () => {} });
  expect(await readiness.judge()).toEqual({ status: 'ready' });
  check = down;
  expect(await readiness.judge()).toEqual({ status: 'unavailable', failing: ['database'] });
  expect(await readiness.judge()).toEqual({ status: 'unavailable', failing: ['database'] });
  check = async () => {};
  expect(await readiness.judge()).toEqual({ status: 'ready' });
  readiness.drain();
  expect(await readiness.judge()).toEqual({ status: 'draining' });
  // Logged on a change, not on every probe.
  expect(log.lines.map(({ message }) => message)).toEqual(['not ready', 'reachable again']);
});

test('a reason that the operator can cure is given, and logged when it changes', async () => {
  let failure = new Error('connection refused');
  const log = collectLog();
  const readiness = new Readiness(log);
  readiness.begin({ database: () => Promise.reject(failure) });
  expect(await readiness.judge()).toEqual({ status: 'unavailable', failing: ['database'] });
  failure = new ConfigError('Run npm run migrate.');
  for (let n = 0; n < 2; n++) {
    expect(await readiness.judge()).toEqual({
      status: 'unavailable',
      failing: ['database'],
      reasons: { database: 'Run npm run migrate.' },
    });
  }
  expect(log.lines.map(({ message }) => message)).toEqual(['not ready', 'not ready']);
});

test('a silent dependency fails, and is not asked again meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const check = vi.fn(() => new Promise(() => {}));
    const readiness = new Readiness(collectLog());
    readiness.begin({ database: check, other: down });
    const verdicts = [readiness.judge(), readiness.judge()];
    await vi.advanceTimersByTimeAsync(2000);
    for (const verdict of await Promise.all(verdicts)) {
      expect(verdict).toEqual({ status: 'unavailable', failing: ['database', 'other'] });
    }
    expect(check).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});

import { expect, test } from 'vitest';
import type { RobotsReading } from '../../src/features/page-hosts/read-robots.ts';
import { createReadRecent } from '../../src/features/page-hosts/recent-readings.ts';

const { signal } = new AbortController();
const ANY_AGE = Number.POSITIVE_INFINITY;
const ABSENT: RobotsReading = { kind: 'absent', why: 'the status is 404' };

/** Hosts that answer when the test says so. */
function createHosts() {
  const clock = { ms: 0 };
  const asked: { origin: string; answer: (reading: RobotsReading) => void; fail: (error: Error) => void }[] =
    [];
  const readRecent = createReadRecent(
    (origin) => {
      const { promise, resolve, reject } = Promise.withResolvers<RobotsReading>();
      asked.push({ origin, answer: resolve, fail: reject });
      return promise;
    },
    () => clock.ms,
  );
  return { clock, asked, read: (origin: string, maxAgeMs = ANY_AGE) => readRecent(origin, maxAgeMs, signal) };
}

test('an origin is asked once a minute, whoever asks', async () => {
  const { clock, asked, read } = createHosts();
  const first = read('http://a.example');
  asked[0]!.answer(ABSENT);
  expect(await first).toEqual({ reading: ABSENT, ageMs: 0 });
  clock.ms = 59_999;
  expect(await read('http://a.example')).toEqual({ reading: ABSENT, ageMs: 59_999 });
  expect(asked).toHaveLength(1);
  clock.ms = 60_000;
  void read('http://a.example');
  expect(asked).toHaveLength(2);
});

test('whoever wants a newer reading waits until the minute is over', async () => {
  const { clock, asked, read } = createHosts();
  const first = read('http://a.example');
  clock.ms = 5_000;
  asked[0]!.answer(ABSENT);
  expect(await first).toEqual({ reading: ABSENT, ageMs: 5_000 });
  clock.ms = 20_000;
  expect(await read('http://a.example', 20_000)).toEqual({ reading: ABSENT, ageMs: 20_000 });
  expect(await read('http://a.example', 19_999)).toEqual({ waitMs: 40_000 });
});

test('a host is asked one thing at a time, and another host meanwhile', async () => {
  const { asked, read } = createHosts();
  const first = read('http://a.example');
  expect(await read('https://a.example')).toEqual({ waitMs: expect.any(Number) });
  expect(await read('http://a.example:8080')).toEqual({ waitMs: expect.any(Number) });
  expect(await read('http://a.example')).toEqual({ waitMs: expect.any(Number) });
  void read('http://b.example');
  expect(asked.map(({ origin }) => origin)).toEqual(['http://a.example', 'http://b.example']);
  asked[0]!.answer(ABSENT);
  await first;
  void read('https://a.example');
  expect(asked).toHaveLength(3);
});

test('a reading that fails leaves nothing behind', async () => {
  const { asked, read } = createHosts();
  const first = read('http://a.example');
  asked[0]!.fail(new Error('given up'));
  await expect(first).rejects.toThrow('given up');
  void read('http://a.example');
  expect(asked).toHaveLength(2);
});

test('readings take a bounded memory: the oldest are forgotten', async () => {
  const { asked, read } = createHosts();
  const long: RobotsReading = {
    kind: 'read',
    sitemaps: [`http://a.example/${'x'.repeat(400_000)}`],
    disallowed: [],
  };
  for (let n = 0; n < 40; n++) {
    const reading = read(`http://host${n}.example`);
    asked[n]!.answer(long);
    await reading;
  }
  void read('http://host39.example');
  expect(asked).toHaveLength(40);
  void read('http://host0.example');
  expect(asked).toHaveLength(41);
});

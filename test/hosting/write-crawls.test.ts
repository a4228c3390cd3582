import { describe, expect, test } from 'vitest';
import { CrawlCounts } from '../../src/edges/hosting/crawl-counts.ts';
import { CrawlWriter, type WriteOutcome } from '../../src/edges/hosting/write-crawls.ts';
import { dayOfKey, LINES_OF_OBJECT, unpackCounts } from '../../src/features/crawls/crawl-object.ts';

const NOW = Date.parse('2026-02-01T12:00:00Z');

function startWriting() {
  const counts = new CrawlCounts({ now: () => NOW });
  const objects = new Map<string, Buffer>();
  const puts: { key: string; bytes: Buffer }[] = [];
  const outcomes: WriteOutcome[] = [];
  /** Functions that run before and after the store of each put. */
  const faults = { before: async () => {}, after: async () => {} };
  const storage = {
    put: async (key: string, parts: readonly Uint8Array[]) => {
      const bytes = Buffer.concat(parts);
      puts.push({ key, bytes });
      await faults.before();
      objects.set(key, bytes);
      await faults.after();
    },
  };
  const writer = new CrawlWriter({ counts, storage, report: (outcome) => outcomes.push(outcome) });
  const stored = async () => {
    const all = await Promise.all(objects.values().map(unpackCounts));
    return all.flat();
  };
  const fails = async () => {
    throw new Error('the store is down');
  };
  return { counts, objects, puts, outcomes, faults, writer, stored, fails };
}

const line = (hostname: string, requests: number) => ({ hostname, crawler: 'Tools', status: 200, requests });

describe('the counts of a process', () => {
  test('become an object of their day; without counts there is none', async () => {
    const { counts, objects, writer, stored } = startWriting();
    await writer.write();
    expect(objects.size).toBe(0);
    counts.add('a.example', 'curl/8', 200, 0);
    counts.add('a.example', 'curl/8', 200, 0);
    await writer.write();
    await writer.write();
    expect(objects.keys().toArray().map(dayOfKey)).toEqual(['2026-02-01']);
    expect(await stored()).toEqual([line('a.example', 2)]);
  });

  test('wait while the store fails, and are written once it is back', async () => {
    const { counts, outcomes, faults, writer, stored, fails } = startWriting();
    faults.before = fails;
    counts.add('a.example', 'curl/8', 200, 0);
    await expect(writer.write()).rejects.toThrow('the store is down');
    counts.add('a.example', 'curl/8', 200, 0);
    counts.add('b.example', 'curl/8', 200, 0);
    await expect(writer.write()).rejects.toThrow('the store is down');
    faults.before = async () => {};
    await writer.write();
    expect(await stored()).toEqual([line('a.example', 1), line('a.example', 1), line('b.example', 1)]);
    expect(outcomes).toEqual(['failed', 'failed', 'written', 'written']);
  });

  test('are written again under the same key, if a put only seemed to fail', async () => {
    const { counts, objects, puts, faults, writer, stored, fails } = startWriting();
    faults.after = fails;
    counts.add('a.example', 'curl/8', 200, 0);
    await expect(writer.write()).rejects.toThrow('the store is down');
    counts.add('a.example', 'curl/8', 200, 0);
    faults.after = async () => {};
    await writer.write();
    expect(puts[1]).toEqual(puts[0]);
    expect(objects.size).toBe(2);
    expect(await stored()).toEqual([line('a.example', 1), line('a.example', 1)]);
  });

  test('are cut into objects of a bounded number of lines', async () => {
    const { counts, objects, faults, writer, stored, fails } = startWriting();
    const hostnames = Array.from({ length: 2 * LINES_OF_OBJECT + 1 }, (_, n) => `maps${n}.example`);
    for (const hostname of hostnames) counts.add(hostname, 'curl/8', 200, 0);
    // The second one fails for a while.
    faults.before = async () => {
      if (objects.size === 1) await fails();
    };
    await expect(writer.write()).rejects.toThrow('the store is down');
    faults.before = async () => {};
    await writer.write();
    expect(objects.size).toBe(3);
    expect((await stored()).map(({ hostname }) => hostname)).toEqual(hostnames);
  });

  test('are written by one call at a time', async () => {
    const { counts, puts, faults, writer } = startWriting();
    const gate = Promise.withResolvers<void>();
    faults.before = () => gate.promise;
    counts.add('a.example', 'curl/8', 200, 0);
    const writing = writer.write();
    await writer.write();
    gate.resolve();
    await writing;
    expect(puts.length).toBe(1);
  });
});

test('two processes never share a key', async () => {
  const [one, other] = [startWriting(), startWriting()];
  for (const { counts, writer } of [one, other]) {
    counts.add('a.example', 'curl/8', 200, 0);
    await writer.write();
  }
  expect(new Set([...one.objects.keys(), ...other.objects.keys()]).size).toBe(2);
});

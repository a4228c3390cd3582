import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutFiles } from '../../src/features/sites/cut-files.ts';
import type { Fragment } from '../../src/features/sites/fragment.ts';
import { readFragments } from '../../src/features/uploads/read-fragments.ts';
import { Staging } from '../../src/features/uploads/staging.ts';
import { StagingRoom } from '../../src/features/uploads/staging-room.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { collect } from '../support/collect.ts';
import { casesOf } from '../support/property-runs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { bulkyEntries, fragmentOf } from './batches.ts';

const storage = await openFolderStorage(await createTemporaryFolder());
const nothing = async () => {};

/** Yields copies, because staging frees the bytes of what it has stored. */
async function* asSource(fragments: Iterable<Fragment>): AsyncGenerator<Fragment> {
  for (const fragment of fragments) yield { ...fragment, deflated: Uint8Array.from(fragment.deflated) };
}

async function stage(
  id: string,
  fragments: AsyncIterable<Fragment>,
  entriesPerFile: number,
): Promise<Staging> {
  const room = { accountId: 'account_1', room: new StagingRoom() };
  const options = {
    ...room,
    hashSeed: 1n,
    storage,
    reserve: nothing,
    release: nothing,
    onLeftBehind: () => {},
  };
  const staging = new Staging(id, options);
  for await (const file of cutFiles(fragments, () => entriesPerFile)) await staging.add(file);
  await staging.settle();
  return staging;
}

const fragments = fc.array(fc.array(anyEntry, { minLength: 1, maxLength: 3 }).map(fragmentOf), {
  minLength: 1,
  maxLength: 6,
});

test('staged files are read back as their original fragments, stored or not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fragments,
      fc.integer({ min: 1, max: 8 }),
      fc.boolean(),
      async (given, size, isStored) => {
        await using staging = await stage('upload_read', asSource(given), size);
        if (isStored) await staging.storeAll();
        const read = await collect(readFragments(storage, staging));
        // Hashes stand beside the file, and not in it.
        const comparable = ({ deflated, hashes: _, origin: __, ...rest }: Fragment) => ({
          ...rest,
          deflated: Buffer.from(deflated),
        });
        expect(read.map(comparable)).toEqual(given.map(comparable));
      },
    ),
    // Each run writes and syncs files.
    { numRuns: casesOf(25) },
  );
});

test('a staged file that the store has damaged or cut off is not copied', async () => {
  await using staging = await stage('upload_damaged', asSource([fragmentOf(bulkyEntries(1000))]), 1000);
  await staging.storeAll();
  const key = 'uploads/upload_damaged/1.xml.gz';
  const whole = (await readObject(storage, key))!;
  const flipped = Buffer.from(whole);
  flipped[whole.length >> 1]! ^= 1;
  for (const damaged of [flipped, whole.subarray(0, -100), whole.subarray(0, whole.length >> 1)]) {
    await storage.put(key, [damaged]);
    await expect(collect(readFragments(storage, staging))).rejects.toThrow('staged file 1 has other bytes');
  }
  await storage.put(key, [whole]);
  expect(await collect(readFragments(storage, staging))).not.toHaveLength(0);
});

test('files cut again from staged files equal a direct cut', async () => {
  await fc.assert(
    fc.asyncProperty(fragments, async (given) => {
      await using first = await stage('upload_first', asSource(given), 1000);
      await using again = await stage('upload_again', readFragments(storage, first), 2);
      await using direct = await stage('upload_direct', asSource(given), 2);
      expect(again.files).toEqual(direct.files);
    }),
    { numRuns: casesOf(25) },
  );
});

test('a missing staged file is an error, not an end', async () => {
  await using staging = await stage('upload_gone', asSource([fragmentOf(bulkyEntries(1000))]), 1000);
  await storage.deleteMany(['uploads/upload_gone/1.xml.gz']);
  await expect(collect(readFragments(storage, staging))).rejects.toThrow('file 1 is gone');
});

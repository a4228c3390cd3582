/** Measures how fast an upload's staging stores files as objects in a folder. The staging syncs, and runs in parallel, as in production. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENTRIES_PER_FILE, type SizeLimit } from '../../src/core/sitemap/limits.ts';
import type { CutFile } from '../../src/features/sites/cut-files.ts';
import { Staging } from '../../src/features/uploads/staging.ts';
import { StagingRoom } from '../../src/features/uploads/staging-room.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import type { Figure } from '../figures.ts';
import { median } from '../statistics.ts';
import { rates } from './rates.ts';
import { cutInto, readFragments, workloads } from './workloads.ts';

const RUNS = 5;

export async function* benchStore(scale: number): AsyncGenerator<Figure, void, undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-store-'));
  try {
    const storage = await openFolderStorage(folder);
    for (const workload of workloads(scale)) {
      const fragments = await readFragments(workload);
      for (const sizeLimit of Object.keys(ENTRIES_PER_FILE) as SizeLimit[]) {
        const files = await cutInto(sizeLimit, fragments);
        const bytes = files.reduce((sum, file) => sum + file.gzipBytes, 0);
        const name = `${workload.name}: ${files.length} files, ${sizeLimit}`;
        yield* rates(name, { urls: workload.urls, bytes }, await storeSeconds(storage, files));
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function storeSeconds(storage: ObjectStorage, files: readonly CutFile[]): Promise<number> {
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    // Without `keep()`, disposal deletes the files, so the next run finds an empty folder. The deletion is not measured.
    await using staging = openStaging(storage, `bench-${run}`);
    const startedAt = performance.now();
    for (const file of files) await staging.add(file);
    await staging.settle();
    seconds.push((performance.now() - startedAt) / 1000);
  }
  return median(seconds);
}

function openStaging(storage: ObjectStorage, uploadId: string): Staging {
  return new Staging(uploadId, {
    ...{ hashSeed: 1n, accountId: 'account_1', room: new StagingRoom() },
    storage,
    reserve: async () => {},
    release: async () => {},
    onLeftBehind: (error) => {
      throw error;
    },
  });
}

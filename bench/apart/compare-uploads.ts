/**
 * Compares two uploads as a jobs process does, but without a database. `compare-uploads.ts <folder> <list>` prints counts, time
 * and memory. Node's start counts.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeCounts } from '../../src/changes/comparison.ts';
import type { UploadFile } from '../../src/changes/comparison-store.ts';
import { ComparisonThread } from '../../src/changes/comparison-thread.ts';
import { planComparison } from '../../src/changes/plan-comparison.ts';
import type { CompareEnd } from '../../src/changes/thread-messages.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { changesKey, uploadFileKey } from '../../src/sites/site.ts';

export interface ComparedUploads {
  /** Undefined: it is a first upload. */
  readonly former: readonly UploadFile[] | undefined;
  readonly live: readonly UploadFile[];
}

export interface CompareRun {
  readonly counts: ChangeCounts;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

const [folder, list] = process.argv.slice(2) as [string, string];
const { former, live }: ComparedUploads = JSON.parse(await readFile(list, 'utf8'));
const storage = await openFolderStorage(folder);
const startedAt = performance.now();
const task =
  former === undefined
    ? { former: [], live: [], counted: live, room: 0, maxSlots: 0 }
    : planComparison(former, live, { hasOrigins: true, isWary: false });
let end: CompareEnd | undefined;
if (task.former.length + task.live.length + task.counted.length > 0) {
  await using thread = new ComparisonThread();
  end = await thread.run(
    task,
    async (ask) => {
      if (ask.kind === 'read') return readObject(storage, uploadFileKey(ask.side, ask.n));
      if (ask.kind === 'part') await storage.put(changesKey('live', ask.n), [ask.bytes]);
      return undefined;
    },
    new AbortController().signal,
  );
  // The main thread may be behind.
  await delay(0);
}
if (end !== undefined && end.kind !== 'compared') throw new Error(JSON.stringify(end));
const { user, system } = process.cpuUsage();
const run: CompareRun = {
  counts: end?.counts ?? { added: 0, changed: 0, removed: 0 },
  seconds: (performance.now() - startedAt) / 1000,
  cpuSeconds: (user + system) / 1e6,
  peakBytes: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(JSON.stringify(run));

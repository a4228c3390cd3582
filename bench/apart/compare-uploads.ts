/**
 * Compares two uploads as a jobs process does, but without a database. `compare-uploads.ts <folder> <list>` prints counts, time and memory.
 * The processor time includes Node's start.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeCounts } from '../../src/features/changes/comparison.ts';
import type { UploadFile } from '../../src/features/changes/comparison-store.ts';
import { ComparisonThread } from '../../src/features/changes/comparison-thread.ts';
import { planComparison } from '../../src/features/changes/plan-comparison.ts';
import type { CompareEnd } from '../../src/features/changes/thread-messages.ts';
import { changesKey, fileHashesKey, uploadFileKey } from '../../src/features/sites/site.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';

export interface ComparedUploads {
  /** Undefined for the first upload of a sitemap. */
  readonly former: readonly UploadFile[] | undefined;
  readonly live: readonly UploadFile[];
  /** Whether the stored hashes are left out, so that all files are inflated. */
  readonly withoutHashes?: boolean;
}

export interface CompareRun {
  readonly counts: ChangeCounts;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

const [folder, list] = process.argv.slice(2) as [string, string];
const { former, live, withoutHashes = false }: ComparedUploads = JSON.parse(await readFile(list, 'utf8'));
const storage = await openFolderStorage(folder);
const startedAt = performance.now();
const plan =
  former === undefined
    ? { former: [], live: [], counted: live, room: 0, maxSlots: 0 }
    : planComparison(former, live, { hasOrigins: true, isWary: false });
// As for a domain that submits its changed URLs to search engines.
const task = { ...plan, mostTold: Number.POSITIVE_INFINITY };
let end: CompareEnd | undefined;
if (task.former.length + task.live.length + task.counted.length > 0) {
  await using thread = new ComparisonThread();
  end = await thread.run(
    task,
    async (ask) => {
      if (ask.kind === 'read' || ask.kind === 'hashes') {
        const { uploadId, uploadN } = { former, live }[ask.side]![ask.n - 1]!;
        if (ask.kind === 'read') return readObject(storage, uploadFileKey(uploadId, uploadN));
        return withoutHashes ? undefined : readObject(storage, fileHashesKey(uploadId, uploadN));
      }
      if (ask.kind === 'part') await storage.put(changesKey('live', ask.n), [ask.bytes]);
      return undefined;
    },
    new AbortController().signal,
  );
  // Let the main thread finish its work on the messages.
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

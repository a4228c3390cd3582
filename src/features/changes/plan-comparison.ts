/** Decides which files a comparison reads, and how many URLs it makes room for. */
import type { StoredFile } from '../entries/entry-kernel.ts';
import type { UploadFile } from './comparison-store.ts';
import type { CompareTask } from './thread-messages.ts';

/** The most slots of a hash table. A slot has 12 bytes, so the largest table takes 150 MiB, for some 11 million URLs. */
const MAX_SLOTS = (150 * 1024 * 1024) / 12;
/** The factor that makes room for URLs that only the smaller upload has. */
const SPARE = 1.05;

interface PlanOptions {
  /** Whether the origins of the former upload are known. If they are, the URLs of unchanged files need not be counted. */
  readonly hasOrigins: boolean;
  /** Whether to make room for all URLs of both uploads. If false, a large comparison assumes that most URLs are in both. */
  readonly isWary: boolean;
  readonly maxSlots?: number;
}

export type ComparisonPlan = Omit<CompareTask, 'mostTold' | 'packFor'>;

/** Plans a comparison without the files that both uploads have. Of equal files, as many are left out as both uploads have. */
export function planComparison(
  former: readonly UploadFile[],
  live: readonly UploadFile[],
  { hasOrigins, isWary, maxSlots = MAX_SLOTS }: PlanOptions,
): ComparisonPlan {
  const common = new Map<string, number>();
  for (const file of former) common.set(contentOf(file), (common.get(contentOf(file)) ?? 0) + 1);
  const takeCommon = (file: UploadFile) => {
    const left = common.get(contentOf(file)) ?? 0;
    if (left > 0) common.set(contentOf(file), left - 1);
    return left > 0;
  };
  const byIsCommon = Map.groupBy(live, takeCommon);
  const added = byIsCommon.get(false) ?? [];
  // `common` now counts only the files that the live upload lacks.
  const gone = former.filter(takeCommon);
  const [formerUrls, liveUrls] = [sumEntries(gone), sumEntries(added)];
  const all = formerUrls + liveUrls;
  const likely = Math.ceil(Math.max(formerUrls, liveUrls) * SPARE);
  return {
    former: gone.map(toRead),
    live: added.map(toRead),
    counted: hasOrigins ? [] : (byIsCommon.get(true) ?? []).map(toRead),
    room: isWary || all <= maxSlots / 2 ? all : Math.min(all, likely),
    maxSlots,
  };
}

const contentOf = ({ etag, bytes, gzipBytes }: UploadFile) => `${etag} ${bytes} ${gzipBytes}`;
const toRead = ({ n, entries, bytes }: UploadFile): StoredFile => ({ n, entries, bytes });
const sumEntries = (files: readonly UploadFile[]) => files.reduce((sum, { entries }) => sum + entries, 0);

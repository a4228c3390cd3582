/** Decides which files a comparison reads, and how many URLs it makes room for. */

import type { StoredFile } from '../entries/entry-kernel.ts';
import type { UploadFile } from './comparison-store.ts';
import type { CompareTask } from './thread-messages.ts';

/** The largest hash table: 150 MiB of memory, for some 11 million URLs. */
const MAX_SLOTS = (150 * 1024 * 1024) / 12;
/** The factor that makes room for URLs that only the smaller upload has. */
const SPARE = 1.05;

export interface PlanOptions {
  /** Whether the origins of the former upload are known. If so, unchanged files are not counted. */
  readonly hasOrigins: boolean;
  /** Whether to make room for all URLs of both uploads. If false, a large comparison assumes that most URLs are in both. */
  readonly isWary: boolean;
  readonly maxSlots?: number;
}

/** Plans a comparison without the files that both uploads have. A file that occurs several times is left out as often as both have it. */
export function planComparison(
  former: readonly UploadFile[],
  live: readonly UploadFile[],
  { hasOrigins, isWary, maxSlots = MAX_SLOTS }: PlanOptions,
): CompareTask {
  const common = new Map<string, number>();
  for (const file of former) common.set(contentOf(file), (common.get(contentOf(file)) ?? 0) + 1);
  const takeCommon = (file: UploadFile) => {
    const left = common.get(contentOf(file)) ?? 0;
    if (left > 0) common.set(contentOf(file), left - 1);
    return left > 0;
  };
  const { true: same = [], false: new_ = [] } = groupBy(live, takeCommon);
  // `common` now counts only the files that the live upload does not have.
  const gone = former.filter(takeCommon);
  const [formerUrls, liveUrls] = [sumEntries(gone), sumEntries(new_)];
  const all = formerUrls + liveUrls;
  const likely = Math.ceil(Math.max(formerUrls, liveUrls) * SPARE);
  return {
    former: gone.map(toRead),
    live: new_.map(toRead),
    counted: hasOrigins ? [] : same.map(toRead),
    room: isWary || all <= maxSlots / 2 ? all : Math.min(all, likely),
    maxSlots,
  };
}

const contentOf = ({ etag, bytes, gzipBytes }: UploadFile) => `${etag} ${bytes} ${gzipBytes}`;
const toRead = ({ n, entries, bytes }: UploadFile): StoredFile => ({ n, entries, bytes });
const sumEntries = (files: readonly UploadFile[]) => files.reduce((sum, { entries }) => sum + entries, 0);

function groupBy(files: readonly UploadFile[], isIn: (file: UploadFile) => boolean) {
  const groups = Map.groupBy(files, isIn);
  return { true: groups.get(true), false: groups.get(false) };
}

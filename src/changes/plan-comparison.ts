/** Decides which files a comparison reads, and how many URLs it makes room for. */
import type { UploadFile } from './comparison-store.ts';
import type { ComparedFile, CompareTask } from './thread-messages.ts';

/** 150 MiB of memory: some 11 million URLs at once. */
const MAX_SLOTS = (150 * 1024 * 1024) / 12;
/** Of URLs that are added to the larger upload. */
const SPARE = 1.05;

export interface PlanOptions {
  /** Whether the origins of the former upload are known. Then files that did not change need not be counted. */
  readonly hasOrigins: boolean;
  /** Makes room for all URLs of both uploads. Otherwise a large comparison supposes that most URLs are in both. */
  readonly isWary: boolean;
  readonly maxSlots?: number;
}

/** Files of the same content are left out on both sides, each as often as both have it. */
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
  // What is left of `common` was not found on the other side.
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
const toRead = ({ n, entries, bytes }: UploadFile): ComparedFile => ({ n, entries, bytes });
const sumEntries = (files: readonly UploadFile[]) => files.reduce((sum, { entries }) => sum + entries, 0);

function groupBy(files: readonly UploadFile[], isIn: (file: UploadFile) => boolean) {
  const groups = Map.groupBy(files, isIn);
  return { true: groups.get(true), false: groups.get(false) };
}

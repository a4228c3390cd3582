/** Counts the entries that a property judges. One case may have hundreds, and `npm run fuzz` shows their sum. */
let judged = 0;

export function countEntries(count: number): void {
  judged += count;
}

/** The entries since the last call. */
export function takeEntryCount(): number {
  const count = judged;
  judged = 0;
  return count;
}

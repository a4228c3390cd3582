/** Processor time and memory peak of a process, from Linux. See also src/platform/process/process-memory.ts. */
import { readFile, writeFile } from 'node:fs/promises';

/** proc(5) counts processor time in this unit, independent of the kernel's clock. */
const TICKS_PER_SECOND = 100;

/** proc(5): writing 5 resets the memory peak to the resident memory. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** Processor time of all its threads so far, kernel time included. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in brackets and may contain blanks. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

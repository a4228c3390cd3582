/** What Linux says of a process, beyond its memory (src/platform/process/process-memory.ts). */
import { readFile, writeFile } from 'node:fs/promises';

/** proc(5) counts processor time in these, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

/** proc(5): 5 sets the peak of memory to what is resident now. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** Processor time of all its threads so far, in the kernel too. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in brackets, and may have blanks. utime and stime are the fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

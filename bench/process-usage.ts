/** Reads processor time and resets the memory peak of processes on Linux. tools/process-memory.ts reads memory. */
import { readdir, readFile, writeFile } from 'node:fs/promises';

/** proc(5) counts processor time in this unit, independent of the kernel's clock. */
const TICKS_PER_SECOND = 100;
const PROCESS_ID = /^\d+$/;

/** proc(5): writing 5 resets the memory peak to the resident memory. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** The processor time of all threads of a process so far, kernel time included. */
export async function processorSeconds(pid: number): Promise<number> {
  const { ownSeconds } = parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  return ownSeconds;
}

/**
 * The processor time of all descendants of a process so far, for example of its Postgres, without the process itself. The time of a process
 * that has ended counts with its parent.
 */
export async function descendantSeconds(pid: number): Promise<number> {
  const stats = await readStats();
  const seconds = (parent: number): number =>
    stats
      .filter((stat) => stat.parent === parent)
      .reduce((sum, stat) => sum + stat.ownSeconds + stat.endedSeconds + seconds(stat.pid), 0);
  return seconds(pid) + (stats.find((stat) => stat.pid === pid)?.endedSeconds ?? 0);
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ownSeconds: number;
  /** The processor time of children that have ended. */
  readonly endedSeconds: number;
}

/** Reads the figures of all processes of the machine. */
async function readStats(): Promise<Stat[]> {
  const names = (await readdir('/proc')).filter((name) => PROCESS_ID.test(name));
  // A process may end meanwhile.
  const texts = await Promise.all(
    names.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')),
  );
  return texts.filter((text) => text !== '').map(parseStat);
}

/** proc(5): ppid is field 4; utime, stime, cutime and cstime are fields 14 to 17. */
function parseStat(stat: string): Stat {
  // The second field is a name in brackets and may contain blanks.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const seconds = (first: number) => (fields[first]! + fields[first + 1]!) / TICKS_PER_SECOND;
  return {
    pid: Number.parseInt(stat, 10),
    parent: fields[1]!,
    ownSeconds: seconds(11),
    endedSeconds: seconds(13),
  };
}

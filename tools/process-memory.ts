/** Reads the memory of a process, as Linux reports it. No other system is supported. */
import { readFile } from 'node:fs/promises';

/** Sizes in bytes. */
export interface ProcessMemory {
  readonly resident: number;
  /** The highest `resident` so far. */
  readonly peak: number;
}

/** Reads procfs, proc(5). Returns undefined if the process is gone, or if there is no procfs. */
export async function memoryOf(pid: number): Promise<ProcessMemory | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = (line: RegExp) => Number(line.exec(status)?.[1]);
  const memory = {
    resident: kilobytes(/^VmRSS:\s+(\d+) kB$/m) * 1024,
    peak: kilobytes(/^VmHWM:\s+(\d+) kB$/m) * 1024,
  };
  return Number.isNaN(memory.peak) ? undefined : memory;
}

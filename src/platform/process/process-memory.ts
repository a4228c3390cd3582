/** What Linux says of a process's memory; elsewhere there is no saying. */
import { readFile } from 'node:fs/promises';

/** Both in bytes. */
export interface ProcessMemory {
  readonly resident: number;
  /** The most that was ever resident. */
  readonly peak: number;
}

/** proc(5). Undefined for a process that is gone, and where there is no procfs. */
export async function memoryOf(pid: number): Promise<ProcessMemory | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = (line: RegExp) => Number(line.exec(status)?.[1]);
  const memory = {
    resident: kilobytes(/^VmRSS:\s+(\d+) kB$/m) * 1024,
    peak: kilobytes(/^VmHWM:\s+(\d+) kB$/m) * 1024,
  };
  return Number.isNaN(memory.peak) ? undefined : memory;
}

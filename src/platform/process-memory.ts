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
  const kilobytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  const memory = { resident: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 };
  return Number.isNaN(memory.peak) ? undefined : memory;
}

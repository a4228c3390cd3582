/**
 * Sets the priority of the thread that calls: one of `constants.priority` of node:os. Does nothing outside of Linux, because there the whole
 * process would get the priority.
 */
import { platform, setPriority } from 'node:os';

export function setThreadPriority(priority: number): void {
  if (platform() === 'linux') setPriority(priority);
}

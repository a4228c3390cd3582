/** Tells how many files the system lets this process have open. A connection is a file, too. */
import { readFileSync } from 'node:fs';

/** Returns Infinity if the system sets no limit, or does not tell it. At its start, Node has raised the limit as far as it may. */
export function mostOpenFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY;
  }
}

/** A hosting server's caches full of files of some 300 bytes, in a process of their own. */
import { runApart } from '../../tools/run-apart.ts';
import type { Filled, Kind } from './fill-caches.ts';

const SCRIPT = new URL('fill-caches.ts', import.meta.url);

export const KINDS: readonly Kind[] = ['objects', 'small files', 'inflated'];

/**
 * Collectors on other threads come late on a busy machine. The code of Node's type stripper holds strings of 5 MB, and V8
 * throws unused code away at some time; with the last flag, it does so before the first measurement.
 */
const FLAGS = ['--expose-gc', '--single-threaded-gc', '--stress-flush-code'];

export function fillCaches(kind: Kind): Promise<Filled> {
  return runApart<Filled>(SCRIPT, [kind], ([node, ...rest]) => [node!, ...FLAGS, ...rest]);
}

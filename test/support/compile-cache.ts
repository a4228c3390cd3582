/**
 * The compiled modules of the processes that a run starts: the second start of a program costs half. Each run has a folder of
 * its own, because V8 ends a process that reads what another version wrote.
 */
import { rm } from 'node:fs/promises';
import { createScratchFolder } from './scratch-folder.ts';

/** How workers learn of the folder. */
const FOLDER = 'TEST_COMPILE_CACHE';

/** For the setup of the run. */
export async function createCompileCache(): Promise<AsyncDisposable> {
  const path = await createScratchFolder('compiled');
  process.env[FOLDER] = path;
  return { [Symbol.asyncDispose]: () => rm(path, { recursive: true, maxRetries: 20 }) };
}

/** For the environment of a process. */
export function compileCache(): Readonly<Record<string, string>> {
  const path = process.env[FOLDER];
  return path === undefined ? {} : { NODE_COMPILE_CACHE: path };
}

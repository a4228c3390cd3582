/**
 * Keeps the compiled modules of the processes that a run starts: the second start of a program costs half. Each run has its
 * own folder, because V8 ends a process that reads the cache of another version.
 */
import { rm } from 'node:fs/promises';
import { createScratchFolder } from './scratch-folder.ts';

/** The variable that tells workers the folder. */
const FOLDER = 'TEST_COMPILE_CACHE';

/** Creates the folder. The setup of the run calls this. */
export async function createCompileCache(): Promise<AsyncDisposable> {
  const path = await createScratchFolder('compiled');
  process.env[FOLDER] = path;
  return { [Symbol.asyncDispose]: () => rm(path, { recursive: true, maxRetries: 20 }) };
}

/** Environment variables for a process that uses the cache. */
export function compileCache(): Readonly<Record<string, string>> {
  const path = process.env[FOLDER];
  return path === undefined ? {} : { NODE_COMPILE_CACHE: path };
}

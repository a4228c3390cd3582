/** Files as people upload them, in a folder that goes with the suite. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll } from 'vitest';
import { createFolder } from './waypost.ts';

/** Call it at the top of a suite. */
export async function useFiles() {
  const folder = await createFolder();
  afterAll(() => folder[Symbol.asyncDispose]());
  return {
    /** Returns its path. */
    async write(name: string, pieces: Iterable<string>): Promise<string> {
      const path = join(folder.path, name);
      await pipeline(Readable.from(pieces), createWriteStream(path));
      return path;
    },
  };
}

const LINES_AT_ONCE = 5000;

/** A CSV of `count` URLs. `line` may write some of its lines otherwise. */
export function* csv(count: number, line = plainLine): Generator<string> {
  yield 'loc,lastmod,priority\n';
  for (let from = 0; from < count; from += LINES_AT_ONCE) {
    const lines = Math.min(LINES_AT_ONCE, count - from);
    yield Array.from({ length: lines }, (_, index) => line(from + index)).join('');
  }
}

export function plainLine(index: number): string {
  return `https://www.example.com/produkte/größe-${index}?farbe=blau,2026-11-${10 + (index % 20)},0.5\n`;
}

/** Remembers small files that deltas have read or written, so successive deltas on a small sitemap read none. A file never changes. */
import { LRUCache } from 'lru-cache';
import { alone } from '../../../platform/alone.ts';

/** The most bytes of all remembered files. */
const MAX_BYTES = 4 * 1024 * 1024;

export class SmallFilesCache {
  readonly #contents = new LRUCache<string, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (content) => Math.max(1, content.length),
  });

  /** Returns the gzip bytes of file `n` of an upload. The caller must not change or transfer them. */
  get(uploadId: string, n: number): Buffer | undefined {
    return this.#contents.get(keyOf(uploadId, n));
  }

  add(uploadId: string, n: number, content: Buffer): void {
    this.#contents.set(keyOf(uploadId, n), alone(content));
  }
}

const keyOf = (uploadId: string, n: number) => `${uploadId} ${n}`;

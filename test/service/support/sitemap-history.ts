/**
 * Records every upload to one sitemap, and judges what clients read while the uploads replace each other.
 *
 * A hosting process serves a site in some *state*: the generation whose site.json it read last. The state determines
 * the content of every path, so each answer tells which states its process may have been in. `see` keeps the least of
 * these states that nothing seen before contradicts. If there is none, a promise is broken:
 *
 * - An answer must fit a content. Otherwise the file is torn, mixed, of the wrong size or of an upload that never was.
 * - A missing part (404) fits no state at or after that of the index that named it: each such state, or a former
 *   upload, has it.
 * - The states of one process never fall, over all its connections.
 * - `LAG_MS` after a process showed a state, or an upload's answer announced it, every process has it.
 *
 * It is right to keep the least state: it is never above the true one, so it demands nothing of later answers that is
 * not due.
 */

/** The longest time until a change is visible everywhere. */
const LAG_MS = 2_000;
const ENTRIES_PER_FILE = 1_000;

/** What the content of an answer tells: `urls of 7 from 2000 to 2344`, `index of /a.xml /b.xml`. */
export type Content = string;

export const urlsContent = (generation: number, first: number, last: number): Content =>
  `urls of ${generation} from ${first} to ${last}`;
export const indexContent = (paths: readonly string[]): Content => `index of ${paths.join(' ')}`;

export interface Sighting {
  /** The hosting process that answered. */
  readonly process: string;
  /** The path of the file; undefined for the sitemap's files in the domain-wide index. */
  readonly path: string | undefined;
  readonly content: Content;
  /** Milliseconds of a monotonic clock. */
  readonly began: number;
  readonly ended: number;
}

export class SitemapHistory {
  /** As in /sitemap, before .xml. */
  readonly stem: string;
  /** The number of entries by generation. There is no generation 0. */
  readonly #sizes = [0];
  readonly #everywhere = new Evidence();
  readonly #ofProcess = new Map<string, Evidence>();

  constructor(stem: string) {
    this.stem = stem;
  }

  /** The newest generation whose upload has begun. */
  get newest(): number {
    return this.#sizes.length - 1;
  }

  /** Starts a generation with this many entries: from now on it may be visible. Returns its number. */
  begin(entries: number): number {
    return this.#sizes.push(entries) - 1;
  }

  acknowledge(generation: number, at: number): void {
    this.#everywhere.add(at, generation);
  }

  has(path: string): boolean {
    return path.startsWith(`${this.stem}.`);
  }

  /** Returns the least state that the process may have been in. Throws if there is none. */
  see({ process, path, content, began, ended }: Sighting): number {
    const own = this.#ofProcess.get(process) ?? new Evidence();
    this.#ofProcess.set(process, own);
    const least = Math.max(1, own.before(began), this.#everywhere.before(began - LAG_MS));
    for (let state = least; state <= this.newest; state += 1) {
      if (this.contentAt(state, path) !== content) continue;
      own.add(ended, state);
      this.#everywhere.add(ended, state);
      return state;
    }
    const wanted = Array.from({ length: this.newest - least + 1 }, (_, at) =>
      this.contentAt(least + at, path),
    );
    const states = wanted.map((text, at) => `${least + at}: ${text}`).join('\n');
    throw new Error(
      `${process} gave for ${path ?? this.stem} "${content}", which it is in none of\n${states}`,
    );
  }

  /** The content of a path in a state; undefined stands for 404. */
  contentAt(state: number, path: string | undefined): Content | undefined {
    if (path === undefined) return indexContent(this.filesAt(state));
    const part = /\.(\d+)\.xml$/.exec(path)?.[1];
    if (part === undefined) {
      return this.#fileCount(state) === 1 ? this.#urls(state, 1) : indexContent(this.filesAt(state));
    }
    // Search for the newest upload that has this part. It is a former upload if the current one has fewer parts.
    for (let generation = state; generation > 0; generation -= 1) {
      const count = this.#fileCount(generation);
      if (count > 1 && Number(part) <= count) return this.#urls(generation, Number(part));
    }
    return undefined;
  }

  /** The paths of the files with URLs. */
  filesAt(state: number): readonly string[] {
    const count = this.#fileCount(state);
    return count === 1
      ? [`${this.stem}.xml`]
      : Array.from({ length: count }, (_, at) => `${this.stem}.${at + 1}.xml`);
  }

  #fileCount(generation: number): number {
    return Math.ceil(this.#sizes[generation]! / ENTRIES_PER_FILE);
  }

  #urls(generation: number, part: number): Content {
    const [first, end] = [(part - 1) * ENTRIES_PER_FILE, part * ENTRIES_PER_FILE];
    return urlsContent(generation, first, Math.min(end, this.#sizes[generation]!) - 1);
  }
}

/** The states that have been seen, with the time when each was first seen. */
class Evidence {
  /** Each state is greater than the one before. */
  readonly #first: { at: number; state: number }[] = [];

  add(at: number, state: number): void {
    if (state > (this.#first.at(-1)?.state ?? 0)) this.#first.push({ at, state });
  }

  /** The greatest state seen before `at`. */
  before(at: number): number {
    return this.#first.findLast((evidence) => evidence.at < at)?.state ?? 0;
  }
}

/**
 * Reads the values of an entry by a reading: replaces each by its one spelling in docs/FORMAT.md, or says why there is none. The kernel
 * does the same for the usual spellings (kernels/sitemap/wide-dates.ts).
 */
import { ENTRY_SHAPE, memberShape, type ValueShape } from './entry-shape.ts';
import { NO_NOTES, type Reading, type ReadingNotes, sumOfNotes } from './reading.ts';
import { DateReader } from './wide-dates.ts';

export interface ReadEntry {
  readonly value: unknown;
  readonly notes: ReadingNotes;
  /** The message about the value at a path, which is left as it was. */
  problemAt(path: readonly PropertyKey[]): string | undefined;
}

/** The members of a shape that have values to read, below them too. */
interface ReadMembers {
  readonly [name: string]: ReadMembers | 'date';
}

const MEMBERS = readMembersOf(ENTRY_SHAPE) as ReadMembers;

export class EntryReader {
  readonly dates: DateReader;
  #notes = NO_NOTES;
  #problems: Map<string, string> | undefined;

  constructor(reading: Reading) {
    this.dates = new DateReader(reading);
  }

  /** `raw` is a value of JSON.parse. It is not changed. */
  read(raw: unknown): ReadEntry {
    this.#notes = NO_NOTES;
    this.#problems = undefined;
    const value = this.#read(raw, MEMBERS, []);
    const problems = this.#problems as Map<string, string> | undefined;
    return { value, notes: this.#notes, problemAt: (path) => problems?.get(JSON.stringify(path)) };
  }

  #read(raw: unknown, members: ReadMembers | 'date', path: readonly PropertyKey[]): unknown {
    if (members === 'date') return this.#date(raw, path);
    if (typeof raw !== 'object' || raw === null) return raw;
    let value: object = raw;
    for (const [name, below] of Object.entries(members)) {
      if (!Object.hasOwn(raw, name)) continue;
      const before = Reflect.get(raw, name);
      const after = this.#read(before, below, [...path, name]);
      if (after !== before) value = { ...value, [name]: after };
    }
    return value;
  }

  #date(raw: unknown, path: readonly PropertyKey[]): unknown {
    if (typeof raw !== 'string' && typeof raw !== 'number') return raw;
    const read = this.dates.read(raw);
    if ('problem' in read) {
      this.#problems ??= new Map();
      this.#problems.set(JSON.stringify(path), read.problem);
      return raw;
    }
    this.#notes = sumOfNotes(this.#notes, read.notes);
    return read.date;
  }
}

function readMembersOf(shape: ValueShape): ReadMembers | 'date' | undefined {
  if (shape.format === 'sitemap-date') return 'date';
  const members = Object.keys(shape.properties ?? {}).flatMap((name) => {
    const below = readMembersOf(memberShape(shape, name));
    return below === undefined ? [] : [[name, below] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/**
 * Reads the values of an entry by a reading: replaces each value by its one spelling in docs/FORMAT.md, or says why the value has no such
 * spelling. The kernel does the same for the usual spellings (kernels/sitemap/wide-dates.ts).
 */
import { ENTRY_SHAPE, memberShape, type ValueShape } from './entry-shape.ts';
import { MAX_ALTERNATES, MAX_IMAGES } from './limits.ts';
import { NO_NOTES, type Reading, type ReadingNotes, sumOfNotes } from './reading.ts';
import { joinBase } from './relative-url.ts';
import { DateReader } from './wide-dates.ts';

export interface ReadEntry {
  readonly value: unknown;
  readonly notes: ReadingNotes;
  /** Returns the message about the value at a path; undefined if the value has none. A value with a message is left as it was. */
  problemAt(path: readonly PropertyKey[]): string | undefined;
}

type Kind = 'date' | 'url';

/** The members that have a value to read, or that contain members with such a value. A list stands for the members of its elements. */
interface ReadMembers {
  readonly [name: string]: ReadMembers | Kind;
}

const KINDS: Readonly<Record<string, Kind>> = { 'sitemap-date': 'date', uri: 'url' };

/** No valid list with URLs has more elements. */
const MAX_READ_ELEMENTS = Math.max(MAX_IMAGES, MAX_ALTERNATES);

const MEMBERS = readMembersOf(ENTRY_SHAPE) as ReadMembers;

export class EntryReader {
  readonly dates: DateReader;
  readonly hasWideDates: boolean;
  readonly baseUrl: string | undefined;
  #notes = NO_NOTES;
  #problems: Map<string, string> | undefined;

  constructor(reading: Reading) {
    this.dates = new DateReader(reading);
    this.hasWideDates = reading.dates !== 'w3c';
    this.baseUrl = reading.baseUrl;
  }

  /** Reads an entry. `raw`: a value of JSON.parse. It is not changed. */
  read(raw: unknown): ReadEntry {
    this.#notes = NO_NOTES;
    this.#problems = undefined;
    const value = this.#read(raw, MEMBERS, []);
    const problems = this.#problems as Map<string, string> | undefined;
    return { value, notes: this.#notes, problemAt: (path) => problems?.get(JSON.stringify(path)) };
  }

  #read(raw: unknown, members: ReadMembers | Kind, path: readonly PropertyKey[]): unknown {
    if (members === 'date') return this.hasWideDates ? this.#date(raw, path) : raw;
    if (members === 'url') return this.baseUrl === undefined ? raw : this.#url(raw, this.baseUrl, path);
    if (typeof raw !== 'object' || raw === null) return raw;
    if (Array.isArray(raw)) return this.#list(raw, members, path);
    let value: object = raw;
    for (const [name, below] of Object.entries(members)) {
      if (!Object.hasOwn(raw, name)) continue;
      const before = Reflect.get(raw, name);
      const after = this.#read(before, below, [...path, name]);
      if (after !== before) value = { ...value, [name]: after };
    }
    return value;
  }

  /**
   * Lists have no dates, so they are read only for a base URL. The schema judges the length of a list before its elements, so a list that
   * is too long is not read.
   */
  #list(raw: readonly unknown[], members: ReadMembers, path: readonly PropertyKey[]): unknown {
    if (this.baseUrl === undefined || raw.length > MAX_READ_ELEMENTS) return raw;
    return raw.map((element, i) => this.#read(element, members, [...path, i]));
  }

  #date(raw: unknown, path: readonly PropertyKey[]): unknown {
    if (typeof raw !== 'string' && typeof raw !== 'number') return raw;
    const read = this.dates.read(raw);
    if ('problem' in read) return this.#refuse(raw, read.problem, path);
    this.#notes = sumOfNotes(this.#notes, read.notes);
    return read.date;
  }

  #url(raw: unknown, baseUrl: string, path: readonly PropertyKey[]): unknown {
    const joined = typeof raw === 'string' ? joinBase(baseUrl, raw) : undefined;
    if (joined === undefined) return raw;
    return 'problem' in joined ? this.#refuse(raw, joined.problem, path) : joined.url;
  }

  /** Records the problem, and leaves the value as it is. The schema refuses the value too. */
  #refuse(raw: unknown, problem: string, path: readonly PropertyKey[]): unknown {
    this.#problems ??= new Map();
    this.#problems.set(JSON.stringify(path), problem);
    return raw;
  }
}

function readMembersOf(shape: ValueShape): ReadMembers | Kind | undefined {
  if (shape.items !== undefined) return readMembersOf(shape.items);
  const kind = KINDS[shape.format ?? ''];
  if (kind !== undefined) return kind;
  const members = Object.keys(shape.properties ?? {}).flatMap((name) => {
    const below = readMembersOf(memberShape(shape, name));
    return below === undefined ? [] : [[name, below] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

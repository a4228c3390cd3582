/**
 * Finds the columns of a CSV upload by the names in its header. This table has members of an entry on the left, and the names of their
 * columns on the right:
 *
 * ```
 * loc                             loc
 * news.publication.name           news_publication_name
 * images[0].loc                   image_loc or image_loc_1
 * images[1].loc                   image_loc_2
 * video.tag[1]                    video_tag_2
 * hreflang: {"hreflang": "de"}    hreflang:de
 * ```
 */
import { ENTRY_SHAPE, memberShape, type ValueShape } from '../../../core/sitemap/entry-shape.ts';
import { isLanguageTag } from '../../../core/sitemap/language-tag.ts';
import { invalidField, Refusal, unknownName } from '../../../platform/refusal.ts';
import { shownText } from '../../../platform/shown-value.ts';
import { APOSTROPHES, isInApostrophes } from './csv-cells.ts';
import { suggestColumns } from './suggest-columns.ts';
import { type ValueKind, valueKindOf } from './value-kind.ts';

export interface CsvColumn {
  /** The name in the header, without blanks around it. */
  readonly name: string;
  /** The name of the member in the table above. */
  readonly member: string;
  /** The members that lead to the value. A number is an element of a list, from 1. */
  readonly path: readonly (string | number)[];
  readonly kind: ValueKind;
  /** The language of an alternate. */
  readonly language?: string;
}

/** In `path`, the number of a list's element is 1. */
interface KnownColumn extends Pick<CsvColumn, 'path' | 'kind'> {
  /** The most elements that the list in the path may have. */
  readonly maxElements?: number;
}

const ALTERNATES = 'hreflang';
/** Members that are lists or objects. A form with lists and objects can take them whole. */
const WHOLE_MEMBERS: readonly string[] = ['images', ALTERNATES, 'news', 'video'];
/** The names of one element of a list in columns, where these differ from the name of the list. */
const ELEMENT_NAMES: Readonly<Record<string, string>> = { images: 'image' };

const KNOWN: ReadonlyMap<string, KnownColumn> = new Map(knownBelow(ENTRY_SHAPE, []));
const NAMES = [...KNOWN.keys(), `${ALTERNATES}:<language>`];

/**
 * Returns the columns that a header names. Throws Refusal VALIDATION_ERROR. The field of the refusal is the name of the faulty column, `line`
 * if a column has no name, or `loc` if no column is `loc`.
 */
export function columnsOf(header: readonly string[], takesWhole = false): CsvColumn[] {
  const columns = header.map((name, position) => columnOfHeader(header, name, position, takesWhole));
  refuseColumns(columns, 'is required: the first line must name the columns, as in loc,lastmod');
  return columns;
}

/** Throws Refusal if two columns are of one member, or of a member and a part of it, or if no column is `loc`. */
export function refuseColumns(columns: readonly CsvColumn[], withoutLoc: string): void {
  const seen = new Set<string>();
  for (const { name, path, language } of columns) {
    // Two names may mean the same: `image_loc` and `image_loc_1`.
    const member = language?.toLowerCase() ?? path.join();
    if (seen.has(member)) throw invalidField(name, name, 'must stand in the header only once');
    seen.add(member);
    const whole = path.length > 1 && columns.find((column) => column.path.join() === path[0]);
    if (whole)
      throw invalidField(
        name,
        name,
        `is a part of ${shownText(whole.name)}, so only one of them can be read`,
      );
  }
  if (!columns.some(({ path }) => path[0] === 'loc')) throw invalidField('loc', undefined, withoutLoc);
}

export function columnName(path: readonly (string | number)[]): string {
  const element = path.find((step) => typeof step === 'number') ?? 1;
  const names = path.filter((step) => typeof step === 'string');
  const base = names.map((name) => ELEMENT_NAMES[name] ?? name).join('_');
  return element === 1 ? base : `${base}_${element}`;
}

function* knownBelow(
  shape: ValueShape,
  path: readonly (string | number)[],
): Generator<[string, KnownColumn]> {
  for (const name of Object.keys(shape.properties!)) {
    if (path.length === 0 && name === ALTERNATES) continue;
    const { items, maxItems, ...member } = memberShape(shape, name);
    const here = items === undefined ? [...path, name] : [...path, name, 1];
    const value = items ?? member;
    const below: Iterable<[string, KnownColumn]> =
      value.type === 'object'
        ? knownBelow(value, here)
        : [[columnName(here), { path: here, kind: valueKindOf(value) }]];
    for (const [known, column] of below) {
      yield [known, maxItems === undefined ? column : { ...column, maxElements: maxItems }];
    }
  }
}

/**
 * Returns the column of a name in the header. Most unknown names are columns that the client does not want, so the refusal tells how to
 * ignore columns.
 */
function columnOfHeader(
  header: readonly string[],
  name: string,
  position: number,
  takesWhole: boolean,
): CsvColumn {
  try {
    return columnNamed(name, position, takesWhole);
  } catch (error) {
    if (error instanceof Refusal && isInApostrophes(name))
      throw invalidField(name, name, `is not known here; ${APOSTROPHES}`);
    const isTypo = error instanceof Refusal && error.message.includes('did you mean');
    if (!(error instanceof Refusal) || isTypo) throw error;
    const cure = `columns=${suggestColumns(header) ?? 'loc:…'}`;
    throw new Refusal(
      error.code,
      `${error.message}. To take some columns and ignore others, add ${cure}`,
      error.options,
    );
  }
}

/**
 * Returns the column of a member, by its name as in the table above. `position` numbers the alternate of a language in its list. With
 * `takesWhole`, the member may also be a whole list or object. Throws Refusal.
 */
export function columnNamed(given: string, position: number, takesWhole = false): CsvColumn {
  const name = given.trim();
  const wanted = name.toLowerCase();
  if (wanted === '')
    throw invalidField('line', name, `must name every column; column ${position + 1} has no name`);
  if (wanted.startsWith(`${ALTERNATES}:`)) return alternateColumn(name, position);
  if (takesWhole && WHOLE_MEMBERS.includes(wanted))
    return { name, member: wanted, path: [wanted], kind: 'text' };
  const plain = KNOWN.get(wanted);
  if (plain !== undefined) return { name, member: wanted, path: plain.path, kind: plain.kind };
  const [, base = '', number] = /^(.+)_([1-9]\d{0,4})$/.exec(wanted) ?? [];
  const known = KNOWN.get(base);
  if (known?.maxElements === undefined) throw unknownName(name, NAMES);
  const element = Number(number);
  if (element > known.maxElements)
    throw invalidField(name, name, `must be at most ${base}_${known.maxElements}`);
  const path = known.path.map((step) => (typeof step === 'number' ? element : step));
  return { name, member: wanted, path, kind: known.kind };
}

function alternateColumn(name: string, position: number): CsvColumn {
  const language = name.slice(ALTERNATES.length + 1);
  if (!isLanguageTag(language)) {
    throw invalidField(name, name, 'must have x-default or ISO codes after the colon, as in hreflang:en-GB');
  }
  return { name, member: name, path: [ALTERNATES, position + 1, 'href'], kind: 'token', language };
}

/** Guesses which columns a customer wants, for messages and previews. An upload is never read by a guess. */

/**
 * The usual names of columns by member, without blanks, underscores and hyphens. Of the names of a member, the first one that a header has
 * exactly once is taken. `loc` is the first member.
 */
const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  loc: words(
    'loc url address pageurl page link permalink canonical canonicalurl toppages landingpage uri href producturl',
  ),
  lastmod: words(
    'lastmod lastmodified updatedat modifiedat updated modified datemodified dateupdated lastupdated updatedon changedat geändert',
  ),
  image_loc: words('imageloc imageurl imagesrc image photo picture'),
};

/** Suggests a value of `columns`, as in `loc:url`, by the usual names. Returns undefined if `loc` has no column with a usual name. */
export function suggestColumns(names: readonly string[]): string | undefined {
  const plain = names.map(plainName);
  const found = Object.entries(USUAL_NAMES).flatMap(([member, usual]) => {
    const name = usual.find((each) => plain.filter((given) => given === each).length === 1);
    return name === undefined ? [] : [`${member}:${names[plain.indexOf(name)]!.trim()}`];
  });
  return found[0]?.startsWith('loc:') ? found.map(quotedItem).join(',') : undefined;
}

/**
 * Suggests a value of `columns` for a first record that is an entry, as in `loc,-,lastmod`: `loc` for the first cell that is a URL, `lastmod`
 * for the first other one that looks like a date. Returns undefined if no cell is a URL.
 */
export function suggestColumnsInOrder(cells: readonly string[]): string | undefined {
  const loc = cells.findIndex((cell) => /^https?:\/\/[^\s|]*$/i.test(cell));
  if (loc < 0) return undefined;
  const date = cells.findIndex((cell, i) => i !== loc && /^\d{4}[-/]\d\d[-/]\d\d/.test(cell));
  return cells.map((_, i) => (i === loc ? 'loc' : i === date ? 'lastmod' : '-')).join(',');
}

const URL_VALUE = /^https?:\/\//i;
/** The usual names of columns whose values need a base. */
const PATH_NAMES = words('path pagepath urlpath handle slug');
const PATH_VALUE = /^\/(?!\/)/;

/**
 * Proposes a member for each column whose name or values suggest one. The keys are the positions of columns. `loc` may get several columns,
 * and a person chooses among them. It gets the columns with a usual name. If there are none, it gets those with only URLs, then those with
 * only paths, then those with the name of a path. Each other member gets one column at most.
 */
export function proposeMembers(
  names: readonly string[],
  values: readonly (readonly string[])[],
): ReadonlyMap<number, string> {
  const plain = names.map(plainName);
  const proposed = new Map<number, string>();
  for (const [member, usual] of Object.entries(USUAL_NAMES)) {
    const named = names.flatMap((_, i) => (usual.includes(plain[i]!) ? [i] : []));
    if (member === 'loc') for (const i of locsAmong(named, values)) proposed.set(i, member);
    else {
      const first = usual.flatMap((name) => named.filter((i) => plain[i] === name)).at(0);
      if (first !== undefined) proposed.set(first, member);
    }
  }
  if ([...proposed.values()].includes('loc')) return proposed;
  const free = names.flatMap((_, i) => (proposed.has(i) ? [] : [i]));
  const isAll = (pattern: RegExp) => (i: number) =>
    values[i]!.length > 0 && values[i]!.every((value) => pattern.test(value));
  const ways = [isAll(URL_VALUE), isAll(PATH_VALUE), (i: number) => PATH_NAMES.includes(plain[i]!)];
  const found = ways.map((way) => free.filter(way)).find((some) => some.length > 0);
  for (const i of found ?? []) proposed.set(i, 'loc');
  return proposed;
}

/**
 * Returns the columns of `named` that have URLs. If none of them has URLs, returns all of them. Leaves out each column with the same values
 * as the first returned column.
 */
function locsAmong(named: readonly number[], values: readonly (readonly string[])[]): readonly number[] {
  const withUrls = named.filter((i) => values[i]!.some((value) => URL_VALUE.test(value)));
  const [first, ...others] = withUrls.length > 0 ? withUrls : named;
  if (first === undefined) return [];
  return [first, ...others.filter((i) => values[i]!.join() !== values[first]!.join())];
}

/** Whether the text is a usual name of a column for any member, or `path`. */
export function isUsualName(text: string): boolean {
  const plain = plainName(text);
  return plain === 'path' || Object.values(USUAL_NAMES).some((names) => names.includes(plain));
}

/** A longer name is no usual one, whatever blanks it has. */
const MAX_LENGTH = 64;
const plainName = (name: string) =>
  name.length > MAX_LENGTH ? '' : name.toLowerCase().replaceAll(/[\s_-]+/g, '');
const quotedItem = (item: string) => (/[",]/.test(item) ? `"${item.replaceAll('"', '""')}"` : item);

function words(text: string): readonly string[] {
  return text.split(' ');
}

/** Keeps the choices of people for each header row in their browser, because the same export often comes again. */
import type { Choices, Table } from './reading.ts';

const PREFIX = 'waypost-columns:';

/** Returns the key of a header. Other names, or the same names in another order, have another key. */
function keyOf({ columns }: Table): string {
  let hash = 0x811c9dc5;
  // FNV-1a. If two headers have one hash, the page recalls wrong choices. People see them and change them.
  for (const character of columns.map(({ name }) => name).join('\n')) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  }
  return `${PREFIX}${columns.length}-${hash.toString(36)}`;
}

export function recallChoices(table: Table): Choices {
  try {
    const { where, ...kept } = JSON.parse(localStorage.getItem(keyOf(table)) ?? '{}') as Choices;
    // Earlier versions kept a single condition, as a text.
    return Array.isArray(where) ? { ...kept, where } : kept;
  } catch {
    return {};
  }
}

export function keepChoices(table: Table, choices: Choices): void {
  try {
    if (Object.values(choices).every((value) => value === undefined)) localStorage.removeItem(keyOf(table));
    else localStorage.setItem(keyOf(table), JSON.stringify(choices));
  } catch {
    // A full or forbidden storage only means that people choose again.
  }
}

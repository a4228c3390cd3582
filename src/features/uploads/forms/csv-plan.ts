/**
 * Plans how a record of CSV becomes the JSON of an entry: a tree of columns in the shape of the entry, made once for a header. Members are
 * in the order of the columns, but all members of an object stand together.
 */
import { memberPath } from '../../../core/sitemap/violation.ts';
import { shownText } from '../../../platform/shown-value.ts';
import { type CsvColumn, columnName } from './csv-columns.ts';
import type { JsonBytes } from './json-bytes.ts';
import type { ValueKind } from './value-kind.ts';

/** The value of a column. */
export interface CsvLeaf {
  /** The position of the column. */
  readonly column: number;
  readonly kind: ValueKind;
  /** The JSON before the value: `"loc":`, or nothing in a list. */
  readonly open: Buffer;
}

/** An object or a list. */
export interface CsvGroup {
  /** The keys are the names of members, or the numbers of elements. */
  readonly members: Map<string | number, CsvNode>;
  /** The values of `members`, in order. */
  readonly nodes: CsvNode[];
  readonly open: Buffer;
  /** The closing bracket. */
  readonly close: number;
}

type CsvNode = CsvLeaf | CsvGroup;

const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;
/** The length of an empty object and a comma. */
const EMPTY_BYTES = 3;

export class CsvPlan {
  /** The column of each cell; undefined for a cell that is ignored. */
  readonly columns: readonly (CsvColumn | undefined)[];
  readonly root = groupOf('{', CLOSE_OBJECT);

  constructor(columns: readonly (CsvColumn | undefined)[]) {
    this.columns = columns;
    for (const [position, column] of columns.entries()) if (column !== undefined) this.#add(position, column);
  }

  /**
   * Returns the name of the column for a path in the entry of a record. `isPresent` says whether the record has a
   * value in a column.
   */
  nameOf(path: readonly PropertyKey[], isPresent: (leaf: CsvLeaf) => boolean): string {
    return shownText(this.#nameOf(path, isPresent));
  }

  #nameOf(path: readonly PropertyKey[], isPresent: (leaf: CsvLeaf) => boolean): string {
    if (path.length === 0) return 'line';
    let node: CsvNode | undefined = this.root;
    const steps: (string | number)[] = [];
    for (const [i, step] of path.entries()) {
      // This column has a whole list or object, as in Parquet.
      if (node !== undefined && 'column' in node)
        return memberPath([this.columns[node.column]!.name, ...path.slice(i)]);
      let key = step as string | number;
      if (typeof key === 'number') key = presentElements(node as CsvGroup, isPresent)[key]!;
      steps.push(key);
      node = node?.members.get(key);
    }
    return node !== undefined && 'column' in node ? this.columns[node.column]!.name : columnName(steps);
  }

  #add(position: number, { path, kind, language }: CsvColumn): void {
    let parent = this.root;
    for (const [i, step] of path.slice(0, -1).entries()) {
      const isList = typeof path[i + 1] === 'number';
      const constant = language !== undefined && !isList ? `"hreflang":${JSON.stringify(language)},` : '';
      parent = this.#groupIn(parent, step, `${keyOf(step)}${isList ? '[' : '{'}${constant}`, isList);
    }
    const last = path.at(-1)!;
    addTo(parent, last, { column: position, kind, open: Buffer.from(keyOf(last)) });
  }

  #groupIn(parent: CsvGroup, step: string | number, open: string, isList: boolean): CsvGroup {
    const found = parent.members.get(step);
    if (found !== undefined) return found as CsvGroup;
    const group = groupOf(open, isList ? CLOSE_ARRAY : CLOSE_OBJECT);
    addTo(parent, step, group);
    return group;
  }
}

/** Writes an entry and a comma. For a column, `writeLeaf` writes the name, the value and a comma, or nothing if there is no value. */
export function writeEntry(entry: CsvGroup, json: JsonBytes, writeLeaf: (leaf: CsvLeaf) => void): void {
  json.makeRoom(EMPTY_BYTES);
  if (!writeGroup(entry, json, writeLeaf)) json.emptyObject();
}

/** Writes a group and a comma, and returns true. If the group has no value, writes nothing and returns false. */
function writeGroup(group: CsvGroup, json: JsonBytes, writeLeaf: (leaf: CsvLeaf) => void): boolean {
  const { nodes, open, close } = group;
  const before = json.at;
  json.makeRoom(open.length);
  json.put(open);
  const start = json.at;
  for (const node of nodes) {
    if ('column' in node) writeLeaf(node);
    else writeGroup(node, json, writeLeaf);
  }
  if (json.at === start) {
    json.at = before;
    return false;
  }
  json.close(close);
  return true;
}

function groupOf(open: string, close: number): CsvGroup {
  return { members: new Map(), nodes: [], open: Buffer.from(open), close };
}

function addTo(parent: CsvGroup, step: string | number, node: CsvNode): void {
  parent.members.set(step, node);
  parent.nodes.push(node);
}

/** Elements of lists have no key. */
function keyOf(step: string | number): string {
  return typeof step === 'string' ? `"${step}":` : '';
}

/** Returns the numbers of the elements that have a value in the record. The list of the entry has only these elements. */
function presentElements({ members }: CsvGroup, isPresent: (leaf: CsvLeaf) => boolean): (string | number)[] {
  const has = (node: CsvNode): boolean =>
    'column' in node ? isPresent(node) : [...node.members.values()].some(has);
  return [...members].filter(([, node]) => has(node)).map(([key]) => key);
}

/**
 * Renames the members of JSON objects to the members of an entry, because producers of NDJSON and JSON arrays may have names of their own.
 * Reads only the members that the client has chosen. Also leaves out the records that do not meet the conditions of `where`.
 */
import { MAX_ELEMENT_DEPTH } from '../../../platform/json/element-scan.ts';
import { isDeeperThan } from '../../../platform/json/json-syntax.ts';
import type { Batch } from '../fragment.ts';
import { type BatchEntries, keepLast, type RecordNames } from './batch-entries.ts';
import { columnNamed, refuseColumns } from './csv-columns.ts';
import type { TableHeader } from './csv-layout.ts';
import { CsvPlan } from './csv-plan.ts';
import type { Dialect } from './dialect.ts';
import { isAbsentWord, valueIn } from './value-kind.ts';
import { type Condition, conditionOf, meets } from './where.ts';

/** The part of the dialect that batches carry, as JSON. */
type MappingPreamble = Pick<TableHeader, 'choices' | 'where'>;

/** Returns the preamble of the batches, if the client chooses members or conditions. Throws Refusal for a faulty choice. */
export function mappingOf({ columns, where = [] }: Dialect): { preamble?: string } {
  if (columns === undefined && where.length === 0) return {};
  const preamble = JSON.stringify({ choices: columns ?? null, where } satisfies MappingPreamble);
  // Report a fault before the body is read.
  new MemberMapping(preamble);
  return { preamble };
}

const mappingFor = keepLast((preamble) => new MemberMapping(preamble));

/** Rewrites the JSON of a batch. `names` names the records of the batch in the terms of their form. */
export function mapMembers(batch: Batch, names: RecordNames | undefined): BatchEntries {
  return mappingFor(batch).map(batch, names);
}

class MemberMapping {
  /** Undefined if all members keep their names. */
  readonly #plan: CsvPlan | undefined;
  readonly #where: readonly Condition<string>[];

  constructor(preamble: string) {
    const { choices, where }: MappingPreamble = JSON.parse(preamble);
    this.#where = where.map((text) => {
      const { name, ...condition } = conditionOf(text);
      return { ...condition, at: name };
    });
    if (choices === null) return;
    const columns = choices.flatMap((choice, i) =>
      choice === null ? [] : [{ ...columnNamed(choice.member, i, true), name: choice.name }],
    );
    refuseColumns(columns, 'is required: name its member, as in columns=loc:url');
    this.#plan = new CsvPlan(columns);
  }

  map({ bytes, ends }: Batch, names: RecordNames | undefined): BatchEntries {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const mapped: string[] = [];
    const mappedEnds = new Uint32Array(ends.length);
    const filtered = new Uint8Array(ends.length);
    const present: (ReadonlySet<number> | undefined)[] = [];
    let end = -1;
    for (let i = 0; i < ends.length; i++) {
      const record = text.toString('utf8', i === 0 ? 0 : ends[i - 1]! + 1, ends[i]);
      const json = this.#mapped(record);
      if (json === undefined) filtered[i] = 1;
      mapped.push(json?.text ?? '');
      present.push(json?.present);
      end += 1 + Buffer.byteLength(json?.text ?? '');
      mappedEnds[i] = end;
    }
    const plan = this.#plan;
    const mappedNames =
      names === undefined || plan === undefined
        ? names
        : {
            ...names,
            fieldName: (path: readonly PropertyKey[], i: number) =>
              plan.nameOf(path, ({ column }) => present[i]?.has(column) === true),
          };
    const json = Buffer.from(mapped.join(','));
    return { json, ends: mappedEnds, filtered, ...(mappedNames !== undefined && { names: mappedNames }) };
  }

  /** Returns the record's JSON, and the columns that have a value. Returns undefined for a record that a condition leaves out. */
  #mapped(record: string): { text: string; present?: ReadonlySet<number> } | undefined {
    const value = objectIn(record);
    // The record is no object, or too deep. A later reader refuses the record.
    if (value === undefined) return { text: record };
    if (!this.#where.every((each) => meets(each, textOf(memberOf(value, each.at))))) return undefined;
    if (this.#plan === undefined) return { text: record };
    const present = new Set<number>();
    const root = new Map<Step, Tree>();
    for (const [position, column] of this.#plan.columns.entries()) {
      const { name, path, kind, language } = column!;
      const found = memberOf(value, name);
      if (found === undefined || found === null || found === '') continue;
      if (typeof found === 'string' && isAbsentWord(kind, found)) continue;
      present.add(position);
      put(root, path, language, typeof found === 'string' ? valueIn(kind, found) : found);
    }
    return { text: jsonOf(plainValue(root)), present };
  }
}

/** `JSON.stringify` writes Infinity as null, which counts as absent. Here it becomes a text, which the rules of the entry refuse. */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('null')) return json;
  return JSON.stringify(value, (_, each) => (each === Infinity || each === -Infinity ? String(each) : each));
}

/** Returns a member that the record has of its own. */
const memberOf = (value: Record<string, unknown>, name: string) =>
  Object.hasOwn(value, name) ? value[name] : undefined;

function objectIn(record: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(record);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // JSON.parse takes any depth, but JSON.stringify overflows the stack.
    return isObject && !isDeeperThan(value, MAX_ELEMENT_DEPTH)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

type Step = string | number;
/** An object or a list by its members, or a value. */
type Tree = Map<Step, Tree> | { readonly value: unknown };

function put(
  root: Map<Step, Tree>,
  path: readonly Step[],
  language: string | undefined,
  value: unknown,
): void {
  let node = root;
  for (const step of path.slice(0, -1)) {
    const below = node.get(step);
    const next = below instanceof Map ? below : new Map<Step, Tree>();
    node.set(step, next);
    node = next;
  }
  if (language !== undefined) node.set('hreflang', { value: language });
  node.set(path.at(-1)!, { value });
}

function plainValue(node: Tree): unknown {
  if (!(node instanceof Map)) return node.value;
  const members = [...node].map(([step, below]) => [step, plainValue(below)] as const);
  return typeof members[0]?.[0] === 'number'
    ? members.map(([, value]) => value)
    : Object.fromEntries(members);
}

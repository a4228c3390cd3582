/** Counts violations by kind: a kind has one field and one message. Finds the cures that mend all violations of a kind. */
import { commonCures, curesOfDate, type DateCure, plainestCures } from '../../core/sitemap/date-cures.ts';
import type { Reading } from '../../core/sitemap/reading.ts';
import type { Violation } from '../../core/sitemap/violation.ts';

export interface ViolationKind {
  /** The field within the entry, without positions, as in `images[].loc`. */
  readonly field: string;
  readonly message: string;
  readonly count: number;
  /** The line of the first violation of the kind, in a form with lines. */
  readonly line?: number;
  /** The position of the entry of the first violation, from 0. */
  readonly index: number;
  readonly value: unknown;
  /**
   * Sets of parameters of the upload. Each set mends all violations of the kind. If there are several sets, only a person can choose one.
   */
  readonly cures: readonly DateCure[];
}

/** The most kinds. Violations of further kinds are not counted by kind. */
const MAX_KINDS = 20;

export class ViolationKinds {
  readonly #kinds = new Map<string, ViolationKind>();

  /** Counts a violation. `reading` is the reading of its batch. */
  add(violation: Violation, reading: Reading | undefined): void {
    const { message, line, value } = violation;
    const { index, field } = placeOf(violation);
    const key = keyOf({ field, message });
    const known = this.#kinds.get(key);
    if (known === undefined && this.#isFull) return;
    // A kind keeps only the cures that mend all its violations. A kind without cures stays without.
    const cures = known?.cures.length === 0 ? [] : curesOfDate(value, message, reading);
    const kind = { field, message, count: 1, ...(line !== undefined && { line }), index, value, cures };
    this.#add(key, known, kind);
  }

  addAll(kinds: readonly ViolationKind[]): void {
    for (const kind of kinds) this.#add(keyOf(kind), this.#kinds.get(keyOf(kind)), kind);
  }

  /** The kinds in the order of their first violations, with all cures: for `addAll`. */
  get list(): readonly ViolationKind[] {
    return [...this.#kinds.values()];
  }

  /** The kinds as people see them. */
  get told(): readonly ViolationKind[] {
    return toldKinds(this.list);
  }

  get #isFull(): boolean {
    return this.#kinds.size === MAX_KINDS;
  }

  #add(key: string, known: ViolationKind | undefined, kind: ViolationKind): void {
    if (known === undefined && this.#isFull) return;
    const cures = known === undefined ? kind.cures : commonCures(known.cures, kind.cures);
    const count = kind.count + (known?.count ?? 0);
    this.#kinds.set(key, { ...(known ?? kind), count, cures });
  }
}

/** Returns the kinds as people see them: each only with its plainest cures. */
export function toldKinds(kinds: readonly ViolationKind[]): readonly ViolationKind[] {
  return kinds.map((kind) => ({ ...kind, cures: plainestCures(kind.cures) }));
}

const keyOf = ({ field, message }: Pick<ViolationKind, 'field' | 'message'>) => `${field}: ${message}`;

/** Returns the field and the index of a violation. In the form JSON, the field begins with the index of the entry. */
export function placeOf({ field, index }: Pick<Violation, 'field' | 'index'>): {
  index: number;
  field: string;
} {
  const [, position, within = field] = /^urls\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
  return { index: index ?? Number(position), field: within.replaceAll(/\[\d+\]/g, '[]') || 'entry' };
}

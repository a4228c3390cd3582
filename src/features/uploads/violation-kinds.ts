/** Counts violations by kind: those of the same field with the same message. */
import type { Violation } from '../../core/sitemap/violation.ts';

export interface ViolationKind {
  /** The field within the entry, without positions, as in `images[].loc`. */
  readonly field: string;
  readonly message: string;
  readonly count: number;
  /** The first violation of the kind. */
  readonly line: number;
  readonly value: unknown;
}

/** Violations of further kinds are not counted here. */
const MAX_KINDS = 20;

export class ViolationKinds {
  readonly #kinds = new Map<string, { -readonly [Key in keyof ViolationKind]: ViolationKind[Key] }>();

  /** Counts a violation, unless its form has no lines. */
  add({ field, message, line, value }: Violation): void {
    if (line !== undefined)
      this.#add({ field: field.replaceAll(/\[\d+\]/g, '[]'), message, line, value, count: 1 });
  }

  addAll(kinds: readonly ViolationKind[]): void {
    for (const kind of kinds) this.#add(kind);
  }

  /** The kinds in the order of their first violations. */
  get list(): readonly ViolationKind[] {
    return [...this.#kinds.values()];
  }

  #add(kind: ViolationKind): void {
    const key = `${kind.field}: ${kind.message}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) known.count += kind.count;
    else if (this.#kinds.size < MAX_KINDS) this.#kinds.set(key, { ...kind });
  }
}

/** Names the operations of a delta in messages. The render threads know only their positions. */
import { sentenceOf, type Violation } from '../../../core/sitemap/violation.ts';
import { Refusal } from '../../../platform/refusal.ts';

type Kind = 'upsert' | 'remove';

interface Elements {
  readonly first: number;
  readonly name: string;
  readonly firstInArray: number;
}

/** A position in a field or a message: `urls[5]`, then perhaps a path in the entry. */
const POSITION = /\burls\[(\d+)\](\S*)/;

export class OperationNames {
  readonly #elements: Elements[] = [];
  readonly #lines: { readonly name: Kind; readonly line: number }[] = [];

  /** Remembers that the operations from position `first` on are elements of the array `name`. */
  addElements(first: number, name: string, firstInArray: number): void {
    this.#elements.push({ first, name, firstInArray });
  }

  /** Remembers the kind and the line of the operation at a position. */
  addLine(position: number, name: Kind, line: number): void {
    this.#lines[position] = { name, line };
  }

  nameOf(position: number): { readonly field: string; readonly line?: number } {
    const onLine = this.#lines[position];
    if (onLine !== undefined) return { field: onLine.name, line: onLine.line };
    const { first, name, firstInArray } = this.#elements.findLast((elements) => elements.first <= position)!;
    return { field: `${name}[${firstInArray + position - first}]` };
  }

  /** Returns the error with names of operations in place of positions. */
  renamed(error: unknown): unknown {
    if (!(error instanceof Refusal)) return error;
    const { code, message, options } = error;
    const { errors } = options.details ?? {};
    if (!Array.isArray(errors)) {
      const named = message.replace(POSITION, (_, position) => this.#sentence(Number(position)));
      return named === message ? error : new Refusal(code, named, options);
    }
    const violations = errors.map((violation: Violation) => this.#renamedViolation(violation));
    const { message: _, ...first } = violations[0]!;
    // Leave `kinds` out, because they have the fields of entries and not of operations.
    const { kinds: __, ...details } = options.details!;
    return new Refusal(code, sentenceOf(violations[0]!), {
      ...options,
      details: { ...details, ...first, errors: violations },
    });
  }

  #sentence(position: number): string {
    const { field, line } = this.nameOf(position);
    return line === undefined ? field : `line ${line}, ${field}`;
  }

  #renamedViolation(violation: Violation): Violation {
    const [, position, path = ''] = POSITION.exec(violation.field) ?? [];
    if (position === undefined) return violation;
    const { field, line } = this.nameOf(Number(position));
    // A removal is a URL, and not an entry with a `loc`.
    const isRemoval = field.startsWith('remove');
    return {
      ...violation,
      field: isRemoval ? field : `${field}${path}`,
      ...(line !== undefined && { line, index: Number(position) }),
    };
  }
}

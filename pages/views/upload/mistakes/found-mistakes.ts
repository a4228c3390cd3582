/** The mistakes of a refused upload, from the answer or, after a reload, from its record. */
import type { UploadAttempt, Violation, ViolationKind } from '../../../../client/src/answers.ts';
import type { ApiError } from '../../../api/request.ts';
import { count } from '../../../parts/format.ts';

export interface FoundMistakes {
  readonly message: string;
  readonly field: string | undefined;
  readonly kinds: readonly ViolationKind[];
  /** The first violations. */
  readonly errors: readonly Violation[];
  readonly errorCount: number;
  /** Rows with mistakes. Undefined if they were not counted. */
  readonly rejected: number | undefined;
  /** All rows, if all were read. */
  readonly total: number | undefined;
  readonly uploadId: string | undefined;
}

export function mistakesIn({ message, details }: ApiError): FoundMistakes {
  const { errors = [], kinds = errors.map(kindOf), field } = details as Partial<FoundMistakes>;
  const {
    errorCount = errors.length,
    rejected,
    uploadId,
    urlCount,
  } = details as Partial<FoundMistakes & { readonly urlCount: number }>;
  // A refusal for another cause may have `urlCount`, too.
  const total = errors.length > 0 ? urlCount : undefined;
  return { message, field, kinds, errors, errorCount, rejected, total, uploadId };
}

/** Makes a kind of mistakes of a single violation, because an answer with one mistake has no kinds. */
function kindOf({ field, message, value, line, index }: Violation): ViolationKind {
  const [, position] = /^urls\[(\d+)\]/.exec(field) ?? [];
  return {
    ...{
      field: fieldWithin(field),
      message,
      count: 1,
      index: index ?? Number(position ?? 0),
      value,
      cures: [],
    },
    ...(line !== undefined && { line }),
  };
}

/** Returns the number of the row. A mistake in a JSON document has its position only in its field. */
export function rowOf({ line, index, field }: Pick<Violation, 'line' | 'index' | 'field'>): string {
  const position = index ?? Number(/^urls\[(\d+)\]/.exec(field)?.[1] ?? 0);
  return count(line ?? position + 1);
}

/** Returns the field within its entry, without positions, as kinds have it. */
export const fieldWithin = (field: string) =>
  field.replace(/^urls\[\d+\]\.?/, '').replaceAll(/\[\d+\]/g, '[]') || 'entry';

/**
 * Returns the mistakes in the record of an upload. Only a check has read all rows, so other records have no `total`. Records of older
 * versions have no kinds.
 */
export function mistakesOf(attempt: UploadAttempt): FoundMistakes {
  const { id, outcome, message, errors, errorCount, rejected, urlCount } = attempt;
  const kinds = attempt.kinds.length > 0 ? attempt.kinds : errors.map(kindOf);
  const total = outcome === 'dry_run' && errors.length > 0 ? urlCount + rejected : undefined;
  return {
    message: message ?? '',
    field: undefined,
    ...{ kinds, errors, errorCount, rejected: rejected === 0 ? undefined : rejected, total },
    uploadId: rejected === 0 ? undefined : id,
  };
}

/** The mistakes of a refused upload, from the answer or, after a reload, from its record. */
import type { UploadAttempt, Violation, ViolationKind } from '../../../../client/src/answers.ts';
import type { ApiError } from '../../../api/request.ts';

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
  // Other refusals have their number of URLs there.
  const total = errors.length > 0 ? urlCount : undefined;
  return { message, field, kinds, errors, errorCount, rejected, total, uploadId };
}

/** Makes a kind of a single violation: an answer with one mistake has no kinds. */
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

/** The field within its entry, without positions, as kinds have it. */
export const fieldWithin = (field: string) =>
  field.replace(/^urls\[\d+\]\.?/, '').replaceAll(/\[\d+\]/g, '[]') || 'entry';

/** A record does not say whether all rows were read, so it tells no total. */
export function mistakesOf(attempt: UploadAttempt): FoundMistakes {
  const { id, message, errors, errorCount, kinds, rejected } = attempt;
  return {
    message: message ?? '',
    field: undefined,
    ...{ kinds, errors, errorCount, rejected: rejected === 0 ? undefined : rejected, total: undefined },
    uploadId: rejected === 0 ? undefined : id,
  };
}

import { ApiError } from '../../api/request.ts';

/** Returns the member of the request that a refusal is about, as in `url`; undefined if it names none. */
export function faultyField(failure: unknown): string | undefined {
  return failure instanceof ApiError && typeof failure.details.field === 'string'
    ? failure.details.field
    : undefined;
}

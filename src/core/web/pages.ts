/** Paged lists (spec D20, spec D33): `limit` and `cursor` in the query, `pagination` in the answer. */
import type { Request } from 'express';
import { z } from 'zod';
import { Refusal } from '../../platform/refusal.ts';
import type { CursorScope, Cursors } from './cursors.ts';

/** The query parameters of lists. */
export const PAGE_PARAMETERS = ['limit', 'cursor'];

const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;

/** Parses the text of the query parameter `limit`. */
export const pageLimit = z
  .string()
  .regex(/^\d{1,3}$/)
  .transform(Number)
  .pipe(z.int().min(1).max(MAX_PAGE));

export interface PagedList<Row> extends CursorScope {
  /** Reads at most `limit` rows after the position `after`, or from the start if `after` is undefined. */
  readonly read: (limit: number, after: string | undefined) => Promise<readonly Row[]>;
  readonly positionOf: (row: Row) => string;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The member `pagination` of the answer. */
  readonly pagination: { readonly hasMore: boolean; readonly cursor?: string };
}

/** Reads a page of a list. `limit`: the page size; by default the client chooses the size. Throws Refusal BAD_REQUEST. */
export async function readPage<Row>(
  { query }: Request,
  cursors: Cursors,
  list: PagedList<Row>,
  limit = givenLimit(query.limit),
): Promise<Page<Row>> {
  const after = query.cursor === undefined ? undefined : cursors.open(list, onlyText(query.cursor));
  const found = await list.read(limit + 1, after);
  const rows = found.slice(0, limit);
  if (found.length <= limit) return { rows, pagination: { hasMore: false } };
  const cursor = cursors.seal(list, list.positionOf(rows.at(-1)!));
  return { rows, pagination: { hasMore: true, cursor } };
}

function givenLimit(given: unknown): number {
  if (given === undefined) return DEFAULT_PAGE;
  const limit = pageLimit.safeParse(given);
  if (limit.success) return limit.data;
  throw new Refusal('BAD_REQUEST', `limit must be a whole number from 1 to ${MAX_PAGE}.`);
}

/** Returns the text of a query parameter. A parameter that is given twice arrives as an array. Then neither value counts. */
function onlyText(given: unknown): string {
  return typeof given === 'string' ? given : '';
}

/** What a chart shows: `?days=30[&domain=<id>]`. */
import type { Request } from 'express';
import { getOwnDomain } from '../domains/own-domain.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { invalidField, Refusal } from '../platform/refusal.ts';

export interface ChartQuery {
  readonly days: number;
  /** Of the account. Undefined for all of its domains. */
  readonly domainId: string | undefined;
}

export const CHART_PARAMETERS = ['days', 'domain'];

const DEFAULT_DAYS = 30;
/** Attempts are kept for so long. */
const MAX_DAYS = 90;
const NUMBER = /^[1-9]\d?$/;

/** Throws Refusal: also for the domain of another account. */
export async function readChartQuery(
  queryable: Queryable,
  accountId: string,
  { query }: Request,
): Promise<ChartQuery> {
  const days = parseDays(query.days);
  const domain = query.domain;
  if (domain === undefined) return { days, domainId: undefined };
  // Postgres takes no NUL.
  if (typeof domain !== 'string' || domain.includes('\0')) {
    throw new Refusal('NOT_FOUND', 'There is no such domain.');
  }
  return { days, domainId: (await getOwnDomain(queryable, accountId, domain)).id };
}

function parseDays(given: unknown): number {
  if (given === undefined) return DEFAULT_DAYS;
  const days = typeof given === 'string' && NUMBER.test(given) ? Number(given) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw invalidField('days', given, `must be a whole number from 1 to ${MAX_DAYS}`);
}

/** What a chart shows: `?days=30[&domain=<id>]`. */

import type { Request } from 'express';
import { getOwnDomain } from '../domains/own-domain.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { isStorable } from '../platform/postgres/storable-text.ts';
import { invalidField, Refusal } from '../platform/refusal.ts';

export interface ChartQuery {
  readonly days: number;
  /** Of the account. Undefined for all of its domains. */
  readonly domainId: string | undefined;
}

export const CHART_PARAMETERS = ['days', 'domain'];

const DEFAULT_DAYS = 30;
const NUMBER = /^[1-9]\d{0,2}$/;

/** `maxDays`: how long what it shows is kept. Throws Refusal: also for the domain of another account. */
export async function readChartQuery(
  queryable: Queryable,
  accountId: string,
  { query }: Request,
  maxDays: number,
): Promise<ChartQuery> {
  const days = parseDays(query.days, maxDays);
  const domain = query.domain;
  if (domain === undefined) return { days, domainId: undefined };
  // It may be given twice.
  if (typeof domain !== 'string' || !isStorable(domain))
    throw new Refusal('NOT_FOUND', 'There is no such domain.');
  return { days, domainId: (await getOwnDomain(queryable, accountId, domain)).id };
}

function parseDays(given: unknown, maxDays: number): number {
  if (given === undefined) return DEFAULT_DAYS;
  const days = typeof given === 'string' && NUMBER.test(given) ? Number(given) : 0;
  if (days >= 1 && days <= maxDays) return days;
  throw invalidField('days', given, `must be a whole number from 1 to ${maxDays}`);
}

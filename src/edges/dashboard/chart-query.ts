/** Parses the query of a chart, `?days=30[&domain=<id>]`. */
import type { Request } from 'express';
import type { OwnDomain } from '../../features/domains/own-domain.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';

export interface ChartQuery {
  readonly days: number;
  /** A domain of the account. Undefined for all of its domains. */
  readonly domainId: string | undefined;
}

export const CHART_PARAMETERS = ['days', 'domain'];

const DEFAULT_DAYS = 30;
const NUMBER = /^[1-9]\d{0,2}$/;

/** Reads the query. `maxDays`: the longest span that the chart has. Throws Refusal, also for another account's domain. */
export async function readChartQuery(
  ownDomain: OwnDomain,
  accountId: string,
  { query }: Request,
  maxDays: number,
): Promise<ChartQuery> {
  const days = parseDays(query.days, maxDays);
  const domain = query.domain;
  if (domain === undefined) return { days, domainId: undefined };
  // If the parameter is given twice, it is an array.
  if (typeof domain !== 'string' || !isStorable(domain))
    throw new Refusal('NOT_FOUND', 'There is no such domain.');
  return { days, domainId: (await ownDomain(accountId, domain)).id };
}

function parseDays(given: unknown, maxDays: number): number {
  if (given === undefined) return DEFAULT_DAYS;
  const days = typeof given === 'string' && NUMBER.test(given) ? Number(given) : 0;
  if (days >= 1 && days <= maxDays) return days;
  throw invalidField('days', given, `must be a whole number from 1 to ${maxDays}`);
}

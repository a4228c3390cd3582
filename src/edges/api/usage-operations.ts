/** The operation that shows what the account used, by day (docs/decisions/0078). */
import type { Request, Response } from 'express';
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import type { Usage } from '../../features/usage/open-usage.ts';
import { type AskedSpan, USAGE_COLUMNS, type UsageOfSpan } from '../../features/usage/read-usage.ts';
import { csvOf, formOf, formQuery } from './answer-form.ts';
import { type Lines, operation, tagged } from './operation.ts';
import { answered, count, described, orCsv } from './shapes.ts';

export interface UsageNeeds {
  readonly usage: Usage;
  readonly now: () => Date;
}

export const USAGE_FORMS = ['json', 'csv'] as const;

const summed = {
  requests: described(
    count,
    'Requests of keys, and changes by people in the dashboard, within the limit of the plan. Those that were answered with 429 do not count.',
  ),
  acceptedUrls: described(
    count,
    'URLs of uploads and deltas that were published, or proved to change nothing.',
  ),
  receivedBytes: described(
    count,
    'Bytes of the bodies of uploads, deltas and parts that were taken, as they were sent: a compressed body counts compressed.',
  ),
  servedRequests: described(
    count,
    'Requests for your sitemaps, of crawlers and all others. They count some two minutes later.',
  ),
  servedBytes: described(count, 'Bytes of the bodies of the answers to these requests.'),
};

const usageDay = z
  .object({
    day: described(z.iso.date(), 'In UTC.'),
    ...summed,
    hostedUrls: described(
      count.nullable(),
      'URLs in all of your sitemaps at the end of the day; now, for today. Null if it is not known.',
    ),
    hostedBytes: described(count.nullable(), 'Bytes of their files, compressed.'),
  })
  .meta({ id: 'UsageDay' });

export const usage = z
  .object({
    days: described(z.array(usageDay), 'Each day, the first one first.'),
    totals: described(z.object(summed), 'The sums of all days.'),
  })
  .meta({ id: 'Usage' });

const SUMS = {
  requests: 1312,
  acceptedUrls: 250_000,
  receivedBytes: 4_100_000,
  servedRequests: 911,
  servedBytes: 72_000_000,
};

/** The example of the description. */
export const USAGE = {
  days: [{ day: '2026-01-15', ...SUMS, hostedUrls: 250_000, hostedBytes: 3_000_000 }],
  totals: SUMS,
};

export const USAGE_QUERY = {
  from: described(z.iso.date(), 'The first day. Default: 29 days before `to`.'),
  to: described(z.iso.date(), 'The last day. Default: today.'),
  form: formQuery(USAGE_FORMS),
};

export const USAGE_ANSWER = orCsv(
  answered(200, 'The usage.', usage, USAGE),
  'The days. The first row has the names of the columns, which are those of the members.',
  `${USAGE_COLUMNS.join(',')}\r\n`,
);

export function askedSpan({ query }: Request): AskedSpan {
  return { from: queryText(query, 'from'), to: queryText(query, 'to') };
}

/** Answers the usage of an account, in the form that the request asks for. */
export async function answerUsage(
  { usage, now }: UsageNeeds,
  accountId: string,
  request: Request,
  response: Response,
): Promise<UsageOfSpan | Lines> {
  const form = formOf(request, response, USAGE_FORMS);
  const found = await usage.read(accountId, askedSpan(request), now());
  return form === 'csv' ? csvOfUsage(found) : found;
}

export const usageOperations = tagged('Account', [
  operation('get', '/api/usage', {
    id: 'getUsage',
    access: { actions: ['read'], to: 'account' },
    summary: 'Shows what your account used, by day',
    description: 'Days are in UTC. 400 of them are kept. Each request, upload and answer counts once.',
    query: USAGE_QUERY,
    answer: USAGE_ANSWER,
    run: (needs: UsageNeeds, { caller: { accountId }, request, response }) =>
      answerUsage(needs, accountId, request, response),
  }),
]);

function csvOfUsage({ days }: UsageOfSpan): Lines {
  const name = `usage-${days[0]!.day}-${days.at(-1)!.day}.csv`;
  return csvOf(name, USAGE_COLUMNS, [days], (day) => USAGE_COLUMNS.map((column) => day[column]));
}

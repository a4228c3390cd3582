/** The operation that shows what the account used, by day (docs/decisions/0078). */
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import type { Usage } from '../../features/usage/open-usage.ts';
import type { UsageOfDay, UsageOfSpan } from '../../features/usage/read-usage.ts';
import { formOf, formQuery } from './answer-form.ts';
import { csvOf } from './csv-lines.ts';
import { operation } from './operation.ts';
import { answered, count, described, orCsv } from './shapes.ts';

export interface UsageNeeds {
  readonly usage: Usage;
  readonly now: () => Date;
}

const FORMS = ['json', 'csv'] as const;

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

/** An example. */
export const USAGE = {
  days: [{ day: '2026-01-15', ...SUMS, hostedUrls: 250_000, hostedBytes: 3_000_000 }],
  totals: SUMS,
};

export const SPAN_QUERY = {
  from: described(z.iso.date(), 'The first day. Default: 29 days before `to`.'),
  to: described(z.iso.date(), 'The last day. Default: today.'),
};

export const usageOperations = [
  operation({
    id: 'getUsage',
    access: { actions: ['read'], to: 'account' },
    method: 'get',
    path: '/api/usage',
    tag: 'Account',
    summary: 'Shows what your account used, by day',
    description: 'Days are in UTC. 400 of them are kept. Each request, upload and answer counts once.',
    query: { ...SPAN_QUERY, form: formQuery(FORMS) },
    answer: orCsv(
      answered(200, 'The usage.', usage, USAGE),
      'The days. The first row has the names of the columns, which are those of the members.',
      `${Object.keys(usageDay.shape).join(',')}\r\n`,
    ),
    async run({ usage, now }: UsageNeeds, { caller: { accountId }, request, response }) {
      const asked = { from: queryText(request.query, 'from'), to: queryText(request.query, 'to') };
      const form = formOf(request, response, FORMS);
      const found = await usage.read(accountId, asked, now());
      return form === 'csv' ? csvOfUsage(found) : found;
    },
  }),
];

const COLUMNS = Object.keys(usageDay.shape) as readonly (keyof UsageOfDay)[];

function csvOfUsage({ days }: UsageOfSpan) {
  const name = `usage-${days[0]!.day}-${days.at(-1)!.day}.csv`;
  const read = async (_: number, after: UsageOfDay | undefined) => (after === undefined ? days : []);
  return csvOf(name, COLUMNS, read, (day) => COLUMNS.map((column) => day[column]));
}

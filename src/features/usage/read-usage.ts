/** Reads the usage of accounts by day, for the API and for operators. */
import { z } from 'zod';
import type { Queryable } from '../../platform/postgres/database.ts';
import { invalidField } from '../../platform/refusal.ts';
import { listAccounts } from '../accounts/account-store.ts';
import { sumHosted } from './hosted-store.ts';
import { KEPT_DAYS, listUsage, type UsageOfDay } from './usage-store.ts';

export type { UsageOfDay } from './usage-store.ts';

export interface AskedSpan {
  /** The first day, as in 2026-01-15. Undefined: 29 days before the last day, or the first kept day. */
  readonly from?: string | undefined;
  /** The last day. Undefined: today. */
  readonly to?: string | undefined;
}

export interface UsageOfSpan {
  readonly days: readonly UsageOfDay[];
  readonly totals: Pick<UsageOfDay, (typeof SUMMED)[number]>;
}

export interface UsageOfAccount extends UsageOfSpan {
  readonly accountId: string;
  /** The operator's own name for the account. */
  readonly ref: string | null;
  /** The position of the account in the list. The next page begins after this position. */
  readonly position: string;
}

/** The members of a day, in the order in which they are shown. */
export const USAGE_COLUMNS = [
  ...(['day', 'requests', 'acceptedUrls', 'receivedBytes', 'servedRequests'] as const),
  ...(['servedBytes', 'hostedUrls', 'hostedBytes'] as const),
] as const satisfies readonly (keyof UsageOfDay)[];

/** The members of a day in a list of all accounts. */
export const ACCOUNT_USAGE_COLUMNS = ['accountId', 'ref', ...USAGE_COLUMNS] as const;

/** Yields the days of each page of accounts, each day with its account. */
export async function* daysOfAccounts(pages: AsyncIterable<readonly UsageOfAccount[]>) {
  for await (const accounts of pages) {
    yield accounts.flatMap(({ accountId, ref, days }) => days.map((day) => ({ accountId, ref, ...day })));
  }
}

const SUMMED = ['requests', 'acceptedUrls', 'receivedBytes', 'servedRequests', 'servedBytes'] as const;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 30;

/**
 * Returns the usage of each day in the span. The hosted URLs and bytes of today are counted now. Throws Refusal for a span that is not
 * kept.
 */
export async function readUsage(
  queryable: Queryable,
  accountId: string,
  asked: AskedSpan,
  now: Date,
): Promise<UsageOfSpan> {
  const [usage] = await readAll(queryable, [accountId], asked, now);
  return usage!;
}

/**
 * Lists the usage of the first `limit` accounts after the position `after`. The oldest account comes first. Throws Refusal as `readUsage`
 * does.
 */
export async function listAccountUsage(
  queryable: Queryable,
  asked: AskedSpan,
  now: Date,
  limit: number,
  after?: string,
): Promise<UsageOfAccount[]> {
  const accounts = await listAccounts(queryable, limit, after);
  const usages = await readAll(
    queryable,
    accounts.map(({ id }) => id),
    asked,
    now,
  );
  return accounts.map(({ id: accountId, ref, position }, n) => ({ accountId, ref, ...usages[n]!, position }));
}

async function readAll(
  queryable: Queryable,
  accountIds: readonly string[],
  asked: AskedSpan,
  now: Date,
): Promise<UsageOfSpan[]> {
  const today = dayOf(now);
  const { from, to } = parseSpan(asked, today);
  const [used, hosted] = await Promise.all([
    listUsage(queryable, accountIds, { from, to }),
    to === today ? sumHosted(queryable, accountIds) : undefined,
  ]);
  const ofAccounts = Map.groupBy(used, ({ accountId }) => accountId);
  return accountIds.map((id) => {
    const days = ofAccounts.get(id)!.map(({ accountId: _accountId, ...day }) => day);
    const level = hosted?.get(id);
    if (level !== undefined) {
      days.push({ ...days.pop()!, hostedUrls: level.urls, hostedBytes: level.bytes });
    }
    return { days, totals: sumsOf(days) };
  });
}

function sumsOf(days: readonly UsageOfDay[]): UsageOfSpan['totals'] {
  const sum = (name: (typeof SUMMED)[number]) => days.reduce((total, one) => total + one[name], 0);
  return Object.fromEntries(SUMMED.map((name) => [name, sum(name)])) as UsageOfSpan['totals'];
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);
const daysBefore = (day: string, days: number) => dayOf(new Date(Date.parse(day) - days * DAY_MS));

function parseSpan({ from, to }: AskedSpan, today: string): { readonly from: string; readonly to: string } {
  const first = daysBefore(today, KEPT_DAYS - 1);
  const last = parseDay('to', to) ?? today;
  if (last > today || last < first) throw invalidField('to', to, `must be from ${first} to ${today}`);
  const usual = daysBefore(last, DEFAULT_DAYS - 1);
  const begin = parseDay('from', from) ?? (usual < first ? first : usual);
  if (begin > last || begin < first) throw invalidField('from', from, `must be from ${first} to ${last}`);
  return { from: begin, to: last };
}

function parseDay(field: 'from' | 'to', given: string | undefined): string | undefined {
  if (given === undefined || z.iso.date().safeParse(given).success) return given;
  throw invalidField(field, given, 'must be a day such as 2026-01-15');
}

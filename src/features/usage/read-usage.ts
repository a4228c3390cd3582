/** Reads the usage of an account by day, for the API and for operators. */
import { z } from 'zod';
import type { Queryable } from '../../platform/postgres/database.ts';
import { invalidField } from '../../platform/refusal.ts';
import { sumHosted } from './hosted-store.ts';
import { KEPT_DAYS, listUsage, type UsageOfDay } from './usage-store.ts';

export type { UsageOfDay } from './usage-store.ts';

export interface AskedSpan {
  /** The first day, as in 2026-01-15. Undefined: 29 days before the last day. */
  readonly from?: string | undefined;
  /** The last day. Undefined: today. */
  readonly to?: string | undefined;
}

export interface UsageOfSpan {
  readonly days: readonly UsageOfDay[];
  /** Sums of all days. */
  readonly totals: Pick<UsageOfDay, (typeof SUMMED)[number]>;
}

/** The members of a day, in the order in which they are shown. */
export const USAGE_COLUMNS = [
  ...(['day', 'requests', 'acceptedUrls', 'receivedBytes', 'servedRequests'] as const),
  ...(['servedBytes', 'hostedUrls', 'hostedBytes'] as const),
] as const satisfies readonly (keyof UsageOfDay)[];

const SUMMED = ['requests', 'acceptedUrls', 'receivedBytes', 'servedRequests', 'servedBytes'] as const;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 30;

/** Returns the usage of each day in the span. The hosted URLs of today are read now. Throws Refusal for a span that is not kept. */
export async function readUsage(
  queryable: Queryable,
  accountId: string,
  asked: AskedSpan,
  now: Date,
): Promise<UsageOfSpan> {
  const today = dayOf(now);
  const { from, to } = parseSpan(asked, today);
  const [days, hosted] = await Promise.all([
    listUsage(queryable, accountId, { from, to }),
    to === today ? sumHosted(queryable, accountId) : undefined,
  ]);
  const shown = days.map((one) =>
    hosted !== undefined && one.day === today
      ? { ...one, hostedUrls: hosted.urls, hostedBytes: hosted.bytes }
      : one,
  );
  const sum = (name: (typeof SUMMED)[number]) => days.reduce((total, one) => total + one[name], 0);
  const totals = Object.fromEntries(SUMMED.map((name) => [name, sum(name)]));
  return { days: shown, totals: totals as UsageOfSpan['totals'] };
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

/** Accounts as operators see them. */
import { z } from 'zod';
import type { Account } from '../../features/accounts/account-store.ts';
import { ACCOUNT_REF } from '../../features/accounts/parse-account.ts';
import { PLAN_NAMES } from '../../features/accounts/plans.ts';
import { count, described, id, type Shown, shownAs, text, time } from '../api/shapes.ts';

export const accountName = described(text.min(1).max(100), 'For people.');
export const accountRef = described(text.regex(ACCOUNT_REF), 'The name of the account at your own systems.');
export const planName = z.enum(PLAN_NAMES);
export const suspended = described(
  z.boolean(),
  'Whether all requests of the account are refused with 403. Its sitemaps stay served.',
);

export const account = z
  .object({
    id: id('account'),
    ref: accountRef.nullable(),
    name: accountName,
    plan: planName,
    createdAt: time,
    suspended,
    suspendedAt: time.nullable(),
  })
  .meta({ id: 'Account' });

export const limits = {
  requestsPerMinute: count,
  domains: count,
  urlsPerUpload: count,
  storedBytes: described(count, 'Compressed bytes of live files, over all domains.'),
  sitemapsPerDomain: count,
};

export const wholeAccount = z
  .object({
    ...account.shape,
    usage: z.object({
      domains: count,
      sitemaps: count,
      urls: count,
      storedBytes: count,
      keys: described(count, 'Valid ones.'),
      uploadsUnderWay: count,
    }),
    limits: z.object({ ...limits, uploadsUnderWay: count }),
  })
  .meta({ id: 'WholeAccount' });

export function describeAccount(given: Account): Shown<typeof account> {
  return shownAs(account, { ...given, suspended: given.suspendedAt !== null });
}

export const ACCOUNT = {
  id: 'account_8PXeY16He1Yn79PlDs9c4v',
  ref: 'tenant-4711',
  name: 'Acme',
  plan: 'pro',
  createdAt: '2026-01-15T10:00:00Z',
  suspended: false,
  suspendedAt: null,
};

export const WHOLE_ACCOUNT = {
  ...ACCOUNT,
  usage: {
    ...{ domains: 2, sitemaps: 5, urls: 25_000, storedBytes: 1_200_000, keys: 1, uploadsUnderWay: 0 },
  },
  limits: {
    ...{ requestsPerMinute: 100, domains: 5, urlsPerUpload: 500_000, storedBytes: 10_000_000_000 },
    ...{ sitemapsPerDomain: 200, uploadsUnderWay: 4 },
  },
};

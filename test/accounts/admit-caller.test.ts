import { beforeEach, expect, test, vi } from 'vitest';
import {
  type AdmissionOptions,
  admitCaller,
  RepeatedRefusal,
} from '../../src/features/accounts/admit-caller.ts';
import { newApiKey, unauthorized } from '../../src/features/accounts/api-key.ts';
import { CallerMemory } from '../../src/features/accounts/caller-memory.ts';
import { refuseOutside } from '../../src/features/accounts/key-scope.ts';
import type { KeyOwner } from '../../src/features/accounts/key-store.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';

const FAILURES = 3;
const LIMIT = 5;
const STRANGER = '192.0.2.1';
const key = newApiKey();

/** A stand-in for Postgres. */
let callers: Map<string, KeyOwner>;
let limit: number;
let failures: Map<string, number>;
let requests: number;
let statements: number;
let clock: number;
let said: string[];
let parts: AdmissionOptions;

beforeEach(() => {
  callers = new Map([
    [key, { accountId: 'account_1', keyId: 'key_1', plan: 'free', isSuspended: false, scope: null }],
  ]);
  limit = LIMIT;
  failures = new Map();
  requests = 0;
  statements = 0;
  clock = 1000;
  said = [];
  const findCaller = async (given: string) => {
    statements += 1;
    return callers.get(given);
  };
  parts = {
    findKnownCaller: findCaller,
    findUnknownCaller: findCaller,
    countFailure: async (client) => {
      statements += 1;
      const count = (failures.get(client) ?? 0) + 1;
      failures.set(client, count);
      return { limit: FAILURES, remaining: 0, resetSeconds: 60, excess: Math.max(0, count - FAILURES) };
    },
    refuseOutside: ({ scope }, client) => refuseOutside(scope, client),
    countRequest: async () => {
      statements += 1;
      requests += 1;
      return {
        limit,
        remaining: Math.max(0, limit - requests),
        resetSeconds: 60,
        excess: Math.max(0, requests - limit),
      };
    },
    unauthorized,
    callerMemory: new CallerMemory(() => clock),
    unknownKeyTurns: new Turns(2),
    complain: {
      authenticationFailed: ({ client }) => void said.push(`failed ${client}`),
      clientBlocked: ({ client, seconds }) => void said.push(`blocked ${client} ${seconds}`),
    },
  };
});

/** `admitted`, or the code of the refusal, with `again` if Postgres was not asked. */
async function outcomeOf(given: string | undefined, client = STRANGER): Promise<string> {
  const before = statements;
  try {
    await admitCaller(parts, given, client);
    return 'admitted';
  } catch (error) {
    const { code } = error as { code: string };
    expect(error instanceof RepeatedRefusal).toBe(statements === before);
    return error instanceof RepeatedRefusal ? `${code} again` : code;
  }
}

async function failTooOften(client = STRANGER): Promise<void> {
  for (let n = 0; n <= FAILURES; n++) await outcomeOf(newApiKey(), client);
}

test('of many requests at once with a new key, one waits for a turn; if the key is wrong, each has its own', async () => {
  const findUnknownCaller = vi.spyOn(parts, 'findUnknownCaller');
  const admitAll = (given: string) =>
    Promise.allSettled(Array.from({ length: FAILURES }, () => admitCaller(parts, given, STRANGER)));
  for (const outcome of await admitAll(key)) expect(outcome.status).toBe('fulfilled');
  expect(findUnknownCaller).toHaveBeenCalledTimes(1);
  expect(requests).toBe(FAILURES);
  const wrong = newApiKey();
  for (const outcome of await admitAll(wrong))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNAUTHORIZED' } });
  expect(failures.get(STRANGER)).toBe(FAILURES);
});

test('a client beyond its limit of failures costs no statement until its window ends', async () => {
  for (let n = 0; n < FAILURES; n++) expect(await outcomeOf(newApiKey())).toBe('UNAUTHORIZED');
  expect(await outcomeOf(undefined)).toBe('RATE_LIMIT_EXCEEDED');
  for (const given of [newApiKey(), undefined]) {
    expect(await outcomeOf(given)).toBe('RATE_LIMIT_EXCEEDED again');
  }
  expect(said).toEqual([...Array(FAILURES + 1).fill(`failed ${STRANGER}`), `blocked ${STRANGER} 60`]);
  expect(await outcomeOf(newApiKey(), '192.0.2.2')).toBe('UNAUTHORIZED');
  clock += 60_000;
  failures.clear();
  expect(await outcomeOf(newApiKey())).toBe('UNAUTHORIZED');
});

test('a blocked client gets in with a recently valid key, until the key is revoked', async () => {
  expect(await outcomeOf(key)).toBe('admitted');
  await failTooOften();
  expect(await outcomeOf(key)).toBe('admitted');
  callers.clear();
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED');
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED again');
});

test('a key is refused outside of its ranges, soon without a statement, and works within them meanwhile', async () => {
  const HOME = '198.51.100.7';
  const scope = { actions: null, domainIds: null, sitemapNames: null, ranges: ['198.51.100.0/24'] };
  callers.set(key, { ...callers.get(key)!, scope });
  expect(await outcomeOf(key, HOME)).toBe('admitted');
  for (let n = 0; n < FAILURES; n++) expect(await outcomeOf(key)).toBe('FORBIDDEN');
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED');
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED again');
  expect(await outcomeOf(key, HOME)).toBe('admitted');
  // Refused requests do not count for the account.
  expect(requests).toBe(2);
});

test('a key of a daily job gets in from a blocked client, and one that was valid long ago counts as unknown', async () => {
  expect(await outcomeOf(key)).toBe('admitted');
  clock += 24 * 3_600_000;
  await failTooOften();
  expect(await outcomeOf(key)).toBe('admitted');
  clock += 25 * 3_600_000 + 1;
  await failTooOften();
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED again');
});

test('few of many strangers at once cause a statement, and none after their address is blocked', async () => {
  const attempts = Array.from({ length: 100 }, () => admitCaller(parts, newApiKey(), STRANGER));
  const outcomes = (await Promise.allSettled(attempts)).map((outcome) =>
    outcome.status === 'rejected' ? outcome.reason.code : 'admitted',
  );
  expect(outcomes.filter((outcome) => outcome === 'UNAUTHORIZED')).toHaveLength(FAILURES);
  expect(outcomes.filter((outcome) => outcome === 'RATE_LIMIT_EXCEEDED')).toHaveLength(100 - FAILURES);
  // Two statements for each stranger whose turn came before the block was known.
  expect(statements).toBeLessThanOrEqual((FAILURES + 1 + 2) * 2);
});

test('strangers whose keys are not found for long delay no key that was valid lately', async () => {
  expect(await outcomeOf(key)).toBe('admitted');
  const found = Promise.withResolvers<undefined>();
  parts = { ...parts, findUnknownCaller: () => found.promise };
  const attempts = Array.from({ length: 10 }, () => admitCaller(parts, newApiKey(), STRANGER));
  for (let n = 1; n < LIMIT; n++) expect(await outcomeOf(key)).toBe('admitted');
  found.resolve(undefined);
  for (const outcome of await Promise.allSettled(attempts)) expect(outcome.status).toBe('rejected');
});

async function overdraw(): Promise<void> {
  for (let n = 0; n < LIMIT + 20; n++) expect(await outcomeOf(key)).toBe('admitted');
  // The last one that asks Postgres.
  expect(await outcomeOf(key)).toBe('admitted');
}

test('an account far beyond its limit is refused without a statement, except for one request a second', async () => {
  await overdraw();
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED again');
  await expect(admitCaller(parts, key, STRANGER)).rejects.toMatchObject({
    state: { limit: LIMIT, remaining: 0, resetSeconds: 60 },
    options: { retryAfterSeconds: 60 },
  });
  clock += 1000;
  // Admitted, with a state that says that the account is over the limit.
  expect(await outcomeOf(key)).toBe('admitted');
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED again');
});

test('the request that is let through notices a change of plan and a revocation', async () => {
  await overdraw();
  limit = 1000;
  clock += 1000;
  expect(await outcomeOf(key)).toBe('admitted');
  expect(await outcomeOf(key)).toBe('admitted');
  limit = LIMIT;
  expect(await outcomeOf(key)).toBe('admitted');
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED again');
  callers.clear();
  clock += 1000;
  expect(await outcomeOf(key)).toBe('UNAUTHORIZED');
  expect(await outcomeOf(key)).toBe('UNAUTHORIZED');
});

test('Postgres is asked about an account again when its window ends', async () => {
  await overdraw();
  expect(await outcomeOf(key)).toBe('RATE_LIMIT_EXCEEDED again');
  clock += 60_000;
  requests = 0;
  for (let n = 0; n < LIMIT; n++) expect(await outcomeOf(key)).toBe('admitted');
});

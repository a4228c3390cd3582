import { describe, expect, test } from 'vitest';
import { dnsState, hasAnswer, isDnsFine } from '../../../pages/views/domain/dns-state.ts';
import { judgeDns } from '../../../src/features/domains/diagnosis.ts';

const hostname = 'sitemaps.example.com';

const AT = '2026-01-15T10:00:00Z';
const right = { problem: null, proxied: false, checkedAt: AT };
const wrong = { ...right, problem: 'The CNAME record points to the wrong target, www.example.com.' };
const silent = { ...right, problem: silence() };

/** What the service says when the resolvers give no answer. */
function silence(): string | null {
  const failed = { kind: 'failed', reason: 'TIMEOUT' } as const;
  const answers = {
    cname: failed,
    txt: failed,
    addresses: [failed, failed],
    targetAddresses: [failed, failed],
    caa: { ...failed, at: 'example.com' },
    isWildcard: false,
  };
  const judging = {
    ...{ zone: 'example.com', nameServers: [], website: null },
    ...{ caaIdentities: [], targetBelowZone: undefined },
  };
  return judgeDns('sitemaps.example.com', 'abc.cname.example.net', answers, judging).problem;
}

describe('the state of the DNS records', () => {
  test.each([
    { status: 'pending_verification', dns: right, word: 'In use elsewhere' },
    { status: 'pending_verification', dns: wrong, word: 'Not right' },
    { status: 'pending_verification', dns: { ...wrong, proxied: true }, word: 'Behind a proxy' },
    { status: 'pending_verification', dns: silent, word: 'Could not ask' },
    { status: 'pending_verification', dns: { ...right, checkedAt: null }, word: 'Not checked yet' },
    { status: 'verified', dns: right, word: 'Right' },
    { status: 'active', dns: wrong, word: 'Leads elsewhere' },
    { status: 'active', dns: silent, word: 'Could not ask' },
    { status: 'active', dns: { ...right, checkedAt: null }, word: 'Verified' },
    { status: 'failed', dns: right, word: 'Right' },
    { status: 'failed', dns: wrong, word: 'Not right' },
  ] as const)('of a domain that is $status: $word', ({ status, dns, word }) => {
    expect(dnsState({ hostname, status, dns }).word).toBe(word);
  });

  test.each(['pending_verification', 'verified', 'active', 'failed'] as const)(
    'a lookup without an answer is never bad: %s',
    (status) => {
      expect(dnsState({ hostname, status, dns: silent }).tone).toBe('neutral');
      expect(hasAnswer(silent)).toBe(false);
    },
  );

  test('asks for nothing once the records were right and the domain was verified', () => {
    expect(isDnsFine({ status: 'active', dns: right })).toBe(true);
    expect(isDnsFine({ status: 'failed', dns: right })).toBe(true);
    expect(isDnsFine({ status: 'active', dns: wrong })).toBe(false);
    expect(isDnsFine({ status: 'pending_verification', dns: right })).toBe(false);
  });
});

test('a name of this machine asks for no record', () => {
  const dns = { problem: null, proxied: false, checkedAt: null };
  const state = dnsState({ hostname: 'demo.localhost', status: 'pending_verification', dns });
  expect(state.sentence).toMatch(/needs no DNS record/);
});

/** `waypost doctor-dns`, which asks a DNS server of the test. */
import { afterAll, describe, expect, test } from 'vitest';
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts';
import { startFakeWaypost } from './support/fake-waypost.ts';
import { startCommandLine } from './support/run-client.ts';

const HOSTNAME = 'maps.example.com';
const TARGET = 'abc.cname.example.net';
const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const waypost = await startFakeWaypost();
const runCommand = startCommandLine();
waypost.play(({ route }) => {
  const domain = { id: 'domain_1', hostname: HOSTNAME, status: 'pending_verification' };
  if (route === 'GET /api/domains') return { data: [domain] };
  const wanted = { type: 'CNAME', name: HOSTNAME, value: TARGET };
  const alternative = { type: 'TXT', name: `_waypost.${HOSTNAME}`, value: 'abc' };
  const state = {
    wanted,
    alternative,
    found: [],
    problem: 'What it saw.',
    checkedAt: '2026-01-15T10:00:00Z',
  };
  return { data: { ...domain, dns: state } };
});

async function diagnose(answers: Readonly<Record<string, DnsAnswer>>) {
  dns.answers.clear();
  for (const [name, answer] of Object.entries(answers)) dns.answers.set(name, answer);
  const args = ['doctor-dns', HOSTNAME, '--resolver', dns.address];
  const { code, stdout } = await runCommand(args, { url: waypost.url });
  return { code, stdout };
}

const ours = { [TARGET]: { a: ['203.0.113.1', '203.0.113.2'], aaaa: ['2001:db8::1'] } };

describe('right are', () => {
  test('a CNAME record to the target', async () => {
    const { code, stdout } = await diagnose({ ...ours, [HOSTNAME]: { cname: 'ABC.cname.example.net' } });
    expect(stdout).toContain('The records are right, as seen from here.');
    expect(stdout).toContain('The service saw at 2026-01-15T10:00:00Z: What it saw.');
    expect(code).toBe(0);
  });

  test('the addresses of the target, with the TXT record', async () => {
    const proof = { [`_waypost.${HOSTNAME}`]: { txt: [['a', 'bc']] } };
    expect(await diagnose({ ...ours, ...proof, [HOSTNAME]: { a: ['203.0.113.2'] } })).toMatchObject({
      code: 0,
    });
  });
});

describe('wrong is', () => {
  test.for<[string, Record<string, DnsAnswer>, string]>([
    [
      'no record',
      {},
      `There is no record for ${HOSTNAME}. At your DNS provider, make: ${HOSTNAME} CNAME ${TARGET}`,
    ],
    [
      'another target',
      { [HOSTNAME]: { cname: 'www.example.com' } },
      'leads to www.example.com. Change it to',
    ],
    ['addresses without a proof', { [HOSTNAME]: { a: ['203.0.113.1'] } }, 'switch that off ("DNS only")'],
    [
      'a proof with addresses of others',
      { [HOSTNAME]: { a: ['203.0.113.1', '198.51.100.1'] }, [`_waypost.${HOSTNAME}`]: { txt: ['abc'] } },
      'The TXT record is right, but the addresses',
    ],
    ['a server that fails', { [HOSTNAME]: 'server failure' }, `No answer: CNAME ${HOSTNAME}: ESERVFAIL`],
  ])('%s', async ([, answers, message]) => {
    const { code, stdout } = await diagnose({ ...ours, ...answers });
    expect(stdout).toContain(message);
    expect(code).toBe(1);
  });
});

test('records of authorities are shown, from the nearest name that has some', async () => {
  const caa = { 'example.com': { caa: [[0, 'issue', 'other.example']] } } as const;
  const { stdout } = await diagnose({ ...ours, ...caa, [HOSTNAME]: { cname: TARGET } });
  expect(stdout).toMatch(/found +CAA +example\.com +issue "other\.example"/);
  expect(stdout).toContain('CAA records of example.com limit who may issue');
});

test('a resolver that is no address', async () => {
  const run = await runCommand(['doctor-dns', HOSTNAME, '--resolver', 'dns.example'], { url: waypost.url });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('1.1.1.1') });
});

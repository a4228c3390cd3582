/** Session tickets, as a hostile client uses them: openssl offers any ticket to any name. Node and curl do not. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ticketKeysAt } from '../../../src/edges/hosting/tls/ticket-keys.ts';
import { certificateKey } from '../../../src/features/sites/certificate.ts';
import { siteKey } from '../../../src/features/sites/site.ts';
import { KeyRing, newKeyRingText } from '../../../src/platform/key-ring.ts';
import { createTestAuthority } from '../../../tools/test-certificates.ts';
import { needs } from '../../support/needs.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import type { RunningHosting } from '../start-hosting.ts';
import { askSecurely, KEYS, publishSecureSite, startSecureHosting } from './secure-hosting.ts';

const A = 'a.example.com';
const B = 'b.example.com';
const UNKNOWN = 'unknown.example.com';
/** There is no site of that name, so there is no session and no answer. */
const REFUSED = 'New';
const authority = await createTestAuthority();
afterAll(() => authority[Symbol.dispose]());
const ofA = await authority.issue(A);
const ofB = await authority.issue(B);
const ticketFile = join(await createTemporaryFolder(), 'ticket');

/** Returns a line, as in `Reused 200 a.example.com`. `servername`: empty for none. */
async function ask(
  { securePort }: RunningHosting,
  version: string,
  [servername, host]: readonly [string, string],
  ticket: '-sess_in' | '-sess_out' = '-sess_in',
): Promise<string> {
  const name = servername === '' ? ['-noservername'] : ['-servername', servername];
  const where = ['-connect', `127.0.0.1:${securePort}`, `-${version}`];
  const client = spawn('openssl', ['s_client', ...where, ...name, ticket, ticketFile, '-ign_eof'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  client.stdin.on('error', () => {});
  client.stdin.end(`GET /robots.txt HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const said = Buffer.concat(await client.stdout.toArray()).toString();
  const found = [/^(?:New|Reused)/m, /(?<=^HTTP\/1\.1 )\d+/m, /(?<=Sitemap: https:\/\/)[^/]+/];
  return found.flatMap((pattern) => pattern.exec(said) ?? []).join(' ');
}

describe.each(['tls1_2', 'tls1_3'])('%s', needs('openssl'), (version) => {
  test('a ticket of one host shows no other that it may not name', async () => {
    await using hosting = await startSecureHosting();
    await publishSecureSite(hosting, A, ofA);
    await publishSecureSite(hosting, B, ofB);
    expect(await ask(hosting, version, [A, A], '-sess_out')).toBe(`New 200 ${A}`);
    const resume = (servername: string, host: string) => ask(hosting, version, [servername, host]);
    expect(await resume(A, A)).toBe(`Reused 200 ${A}`);
    expect(await resume(B, B)).toBe(`Reused 200 ${B}`);
    for (const servername of [A, B, '']) {
      expect(await resume(servername, UNKNOWN)).toBe('Reused 421');
    }
    expect(await resume(UNKNOWN, A)).toBe(REFUSED);
    // A resumed connection of TLS 1.2 does not know the name of its handshake.
    if (version === 'tls1_3') expect(await resume(A, B)).toBe('Reused 421');
  });

  test('a ticket outlives neither the certificate nor the site of the host', async () => {
    await using hosting = await startSecureHosting();
    await publishSecureSite(hosting, A, ofA);
    await publishSecureSite(hosting, B, ofB);
    expect(await ask(hosting, version, [A, A], '-sess_out')).toBe(`New 200 ${A}`);
    expect(await ask(hosting, version, [B, B])).toBe(`Reused 200 ${B}`);
    await hosting.storage.deleteMany([certificateKey(B), siteKey(A)]);
    hosting.clock.now += 1_000;
    expect(await ask(hosting, version, [A, A])).toBe(REFUSED);
    expect(await ask(hosting, version, [B, A])).toBe('Reused 421');
    hosting.clock.now += 59_000;
    expect(await ask(hosting, version, [B, B])).toBe('Reused 421');
  });
});

test('a session resumes at another process with the same keys, and at none with others', async () => {
  await using one = await startSecureHosting();
  await using two = await startSecureHosting();
  await using stranger = await startSecureHosting({ certificateKeys: new KeyRing(newKeyRingText()) });
  await publishSecureSite(one, A, ofA);
  await publishSecureSite(two, A, ofA);
  const client = { ca: authority.ca, servername: A };
  const { session } = await askSecurely(one, client);
  expect(await askSecurely(two, { ...client, session })).toMatchObject({ isResumed: true, status: 200 });
  await expect(askSecurely(stranger, { ...client, session })).rejects.toThrow(/unrecognized name/);
});

test('the key of tickets changes every twelve hours, and with the first key of the ring', () => {
  const noon = Date.parse('2026-02-01T12:00:00Z');
  const key = ticketKeysAt(KEYS, noon);
  expect(key.length).toBe(48);
  expect(ticketKeysAt(KEYS, noon + 12 * 3_600_000 - 1)).toEqual(key);
  expect(ticketKeysAt(KEYS, noon - 1)).not.toEqual(key);
  expect(ticketKeysAt(KEYS, noon + 12 * 3_600_000)).not.toEqual(key);
  expect(ticketKeysAt(new KeyRing(newKeyRingText()), noon)).not.toEqual(key);
});

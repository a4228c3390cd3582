/** A whole life of certificates. Afterwards no key is anywhere but sealed. */
import { createPrivateKey } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openCertificate } from '../../src/features/sites/certificate.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import type { AcmeCall } from '../support/acme-front.ts';
import { collect } from '../support/collect.ts';
import { isHere, needs } from '../support/needs.ts';
import { createIssuanceWorld } from './issuance-world.ts';

const CALLS: readonly AcmeCall[] = [
  'newOrder',
  'order',
  'authorization',
  'challenge',
  'finalize',
  'certificate',
];

describe('with Pebble', needs('pebble'), async () => {
  if (!isHere('pebble')) return;
  const world = await createIssuanceWorld();
  const { database, storage, keys, front } = world;

  /** Everything that is stored or logged. */
  async function everything(): Promise<string> {
    const { rows: tables } = await database.query(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const parts = [inspect(world.log.lines, { depth: 50, showHidden: true, maxStringLength: null })];
    for (const { name } of tables) {
      const { rows } = await database.query(`SELECT row_to_json(t)::text AS row FROM "${name}" AS t`);
      parts.push(...rows.map(({ row }) => row));
    }
    for (const { key } of await collect(storage.list(''))) parts.push(String(await readObject(storage, key)));
    return parts.join('\n');
  }

  /** The ways in which a private key (PKCS #8) could show. */
  function spellings(der: Uint8Array): string[] {
    const key = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
    const { d = '' } = key.export({ format: 'jwk' });
    const secret = Buffer.from(d, 'base64url');
    const pem = String(key.export({ format: 'pem', type: 'sec1' })).split('\n')[1]!;
    const bytes = Buffer.from(der);
    return [
      d,
      pem,
      secret.toString('base64'),
      secret.toString('hex'),
      bytes.toString('base64').slice(40, 90),
    ];
  }

  test('no private key, order key or account key shows in a log, an error, an object or a column', async () => {
    const secrets: string[] = [];
    for (const call of CALLS) {
      const domain = await world.addDueDomain();
      front.break(call, 'lost');
      await world.issue(domain);
      const { rows } = await database.query(
        'SELECT order_url AS url, order_key AS key FROM certificates WHERE domain_id = $1 AND order_key IS NOT NULL',
        [domain.id],
      );
      for (const { url, key } of rows)
        secrets.push(...spellings(keys.open(key, ['order', domain.hostname, url])));
      front.reset();
      await database.query('UPDATE acme_accounts SET paused_until = NULL');
      await world.passDelay(domain);
      await world.issue(domain);
      const { state, stored } = await world.stateOf(domain);
      expect(state).toBe('active/active');
      secrets.push(...spellings(openCertificate(keys, stored!)));
    }
    const { rows } = await database.query('SELECT directory, key FROM acme_accounts');
    for (const { directory, key } of rows)
      secrets.push(...spellings(keys.open(key, ['acme account', directory])));
    expect(rows).toHaveLength(1);
    // There are at least one order key, one certificate key, and the key of the account.
    expect(secrets.length).toBeGreaterThanOrEqual(5 * (CALLS.length + CALLS.length - 1 + 1));
    const text = await everything();
    expect(text).toContain('BEGIN CERTIFICATE');
    expect(text).not.toContain('PRIVATE KEY');
    // `toContain` would print the secrets on a failure.
    expect(secrets.filter((secret) => text.includes(secret)).length).toBe(0);
  });
});

/** Connections: their rows, their users, and their keys when the sealing keys change. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseConnection, parseConnectionName } from '../../src/features/connections/connection.ts';
import { sealConnectionsAnew } from '../../src/features/connections/connection-seal.ts';
import { openConnections } from '../../src/features/connections/open-connections.ts';
import { KeyRing } from '../../src/platform/key-ring.ts';
import { addAccount } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [first, second] = [key('k1'), key('k2')];
const nothing = async () => {};

const MEMBERS = {
  ...{ kind: 's3', region: 'eu-central-1', buckets: ['exports'] },
  ...{ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'very-secret' },
};
const given = (more: object = {}) => parseConnection(new Map(Object.entries({ ...MEMBERS, ...more })));

async function withRing(text: string) {
  const accountId = await addAccount(database);
  const open = (ring: string) => openConnections({ database, keys: new KeyRing(ring) });
  const connections = open(text);
  const put = (name: string, more: object = {}) =>
    connections.put(accountId, name, given(more), nothing, nothing);
  return { accountId, connections, open, put };
}

async function keyIdsOf(accountId: string) {
  const { rows } = await database.query<{ id: string | null }>(
    "SELECT secrets->>'keyId' AS id FROM connections WHERE account_id = $1 ORDER BY name",
    [accountId],
  );
  return rows.map(({ id }) => id);
}

test('a connection is put, listed without keys, replaced and deleted', async () => {
  const { accountId, connections, put } = await withRing(first);
  expect(await put('lake')).toMatchObject({
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    isLost: false,
  });
  await put('lake', { endpoint: 'https://s3.example.net', sessionToken: 'token' });
  await put('barn');
  const listed = await connections.list(accountId);
  expect(listed.map(({ name }) => name)).toEqual(['barn', 'lake']);
  expect(JSON.stringify(listed)).not.toMatch(/AKID|secret-|k1/);
  const reached = await connections.reach(accountId, 'lake');
  expect(reached.secretAccessKey.reveal()).toBe('very-secret');
  expect(reached).toMatchObject({ endpoint: 'https://s3.example.net', buckets: ['exports'] });
  expect(JSON.stringify(reached)).not.toMatch(/very-secret|token"/);
  await connections.delete(accountId, 'lake', nothing, nothing);
  await expect(connections.delete(accountId, 'lake', nothing, nothing)).rejects.toThrow(
    'There is no connection',
  );
  await expect(connections.reach(accountId, 'lake')).rejects.toThrow('is not the name of a connection');
});

test('an account has at most 20, and can replace each of them', async () => {
  const { connections, accountId, put } = await withRing(first);
  for (let n = 0; n < 20; n++) await put(`c${n}`);
  await expect(put('one-more')).rejects.toThrow('at most 20 connections');
  await put('c3');
  expect(await connections.list(accountId)).toHaveLength(20);
});

test('keys are sealed anew with the first key of the ring, and old keys may then go', async () => {
  const { accountId, open, put } = await withRing(first);
  for (const name of ['a', 'b']) await put(name);
  const log = collectLog();
  await sealConnectionsAnew(database, new KeyRing(`${second},${first}`), log);
  expect(await keyIdsOf(accountId)).toEqual(['k2', 'k2']);
  const { secretAccessKey } = await open(second).reach(accountId, 'b');
  expect(secretAccessKey.reveal()).toBe('very-secret');
});

test('keys that no ring opens stay for the one that does, and the connection says so', async () => {
  const { accountId, connections, open, put } = await withRing(first);
  await put('lake');
  const log = collectLog();
  await sealConnectionsAnew(database, new KeyRing(second), log);
  expect(JSON.stringify(log)).toContain('CERTIFICATE_KEYS lacks a key');
  expect(await keyIdsOf(accountId)).toEqual(['k1']);
  expect(await open(second).list(accountId)).toMatchObject([{ name: 'lake', isLost: true }]);
  await expect(open(second).reach(accountId, 'lake')).rejects.toThrow('set the connection again');
  expect(await connections.list(accountId)).toMatchObject([{ name: 'lake', isLost: false }]);
  expect(await connections.reach(accountId, 'lake')).toMatchObject({ buckets: ['exports'] });
});

test('damaged keys stop no other', async () => {
  const { accountId, open, put } = await withRing(first);
  for (const name of ['a', 'b', 'c']) await put(name);
  await database.query(
    `UPDATE connections SET secrets = secrets || '{"bytes":"AAAA"}' WHERE account_id = $1 AND name = 'b'`,
    [accountId],
  );
  const log = collectLog();
  await sealConnectionsAnew(database, new KeyRing(`${second},${first}`), log);
  expect(await keyIdsOf(accountId)).toEqual(['k2', 'k1', 'k2']);
  expect(JSON.stringify(log)).toContain('are damaged');
  await expect(open(first).reach(accountId, 'b')).rejects.toThrow('set the connection again');
});

test('sealed keys are of their account, their name and their endpoint', async () => {
  const { accountId, connections, put } = await withRing(first);
  await put('lake');
  await put('barn', { endpoint: 'https://attacker.example.com' });
  await database.query(
    `UPDATE connections SET secrets = (SELECT secrets FROM connections WHERE account_id = $1 AND name = 'lake')
      WHERE account_id = $1 AND name = 'barn'`,
    [accountId],
  );
  await expect(connections.reach(accountId, 'barn')).rejects.toThrow('set the connection again');
});

test('without CERTIFICATE_KEYS, connections are off', async () => {
  const { accountId } = await withRing(first);
  const off = openConnections({ database, keys: undefined });
  expect(() => off.put(accountId, 'lake', given(), nothing, nothing)).toThrow('Connections are off');
  await expect(off.reach(accountId, 'lake')).rejects.toThrow('Connections are off');
});

describe('what is refused', () => {
  test.each<[string, object]>([
    ['kind', { kind: 'http' }],
    ['region', { region: 'EU' }],
    ['region', { region: undefined }],
    ['buckets', { buckets: [] }],
    ['buckets', { buckets: ['a/b'] }],
    ['endpoint', { endpoint: 'https://s3.example.net/bucket' }],
    ['endpoint', { endpoint: 's3.example.net' }],
    ['endpoint', { endpoint: 'https://user:very-secret@s3.example.net' }],
    ['accessKeyId', { accessKeyId: '' }],
    ['secretAccessKey', { secretAccessKey: 'very-secret\r\nHost: a' }],
    ['sessionToken', { sessionToken: 'very-secret token' }],
  ])('%s in %j', (field, members) => {
    const refusal = (() => {
      try {
        given(members);
      } catch (error) {
        return error as { message: string; options: object };
      }
      return undefined;
    })();
    expect(refusal?.message).toMatch(new RegExp(`^${field}: `));
    expect(JSON.stringify(refusal)).not.toContain('very-secret');
  });

  test.each(['', 'A', '-a', 'a b', 'a'.repeat(33), '../a'])('the name %j', (name) => {
    expect(() => parseConnectionName(name)).toThrow(/^name: /);
  });
});

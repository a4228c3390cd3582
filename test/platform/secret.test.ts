import { inspect } from 'node:util';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Secret } from '../../src/platform/secret.ts';

const VALUE = 'hunter2';
const secret = new Secret(VALUE);

test('reveals its value when asked for it', () => {
  expect(secret.reveal()).toBe(VALUE);
});

test.each<[string, () => string]>([
  ['in a template', () => `${secret}`],
  ['joined to text', () => `a ${secret} b`],
  ['as JSON', () => JSON.stringify({ key: secret, keys: [secret] })],
  ['inspected', () => inspect({ key: secret }, { depth: 9, showHidden: true })],
  ['in the message of an error', () => inspect(new Error(`no: ${secret}`, { cause: secret }))],
  ['as its members', () => JSON.stringify([Object.entries(secret), Reflect.ownKeys(secret).map(String)])],
  ['copied', () => inspect({ ...secret })],
])('prints no value %s', (_, print) => {
  expect(print()).not.toContain(VALUE);
});

test('prints no value in a log', () => {
  let logged = '';
  const log = pino({}, { write: (line: string) => (logged += line) });
  log.info({ key: secret, config: { DATABASE_URL: secret } }, `${secret}`);
  expect(logged).toContain('[secret]');
  expect(logged).not.toContain(VALUE);
});

import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/platform/config.ts';
import { ConfigError } from '../../src/platform/config-error.ts';
import { Secret } from '../../src/platform/secret.ts';
import { settingSchemas } from '../../src/platform/settings.ts';

function messageFor(...parameters: Parameters<typeof readConfig>): string {
  try {
    readConfig(...parameters);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}

test('an empty environment gives the defaults', () => {
  expect(readConfig({})).toMatchObject({ API_PORT: 3000, BIND_ADDRESS: '127.0.0.1', RESERVED_HOSTNAMES: [] });
});

test('an empty variable, or one of blanks, counts as absent', () => {
  expect(readConfig({ API_PORT: '', S3_BUCKET: '  ', DNS_SERVERS: '' })).toEqual(readConfig({}));
});

test('variables that are not ours do not matter', () => {
  expect(readConfig({ PATH: '/bin', API_PORTS: 'x' })).toEqual(readConfig({}));
});

test('values are read by their kind', () => {
  const config = readConfig({
    API_PORT: '0',
    UPLOAD_TIMEOUT_MS: '60000',
    RESERVED_HOSTNAMES: ' waypost.example , ,example.net',
    CNAME_BASE: 'Cname.Example.NET',
    DATABASE_URL: 'postgres://u:p@h/d',
  });
  expect(config).toMatchObject({
    API_PORT: 0,
    UPLOAD_TIMEOUT_MS: 60_000,
    RESERVED_HOSTNAMES: ['waypost.example', 'example.net'],
    CNAME_BASE: 'cname.example.net',
  });
  expect(config.DATABASE_URL).toBeInstanceOf(Secret);
  expect(config.DATABASE_URL?.reveal()).toBe('postgres://u:p@h/d');
});

describe('what is wrong is told', () => {
  test('all at once, each with its variable and its meaning', () => {
    const wrong = { API_PORT: '99999', LOG_LEVEL: 'loud', S3_ENDPOINT: 'ftp://x', MAX_BODY_BYTES: '1' };
    const lines = messageFor(wrong).split('\n').slice(1);
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual(
      expect.arrayContaining(Object.keys(wrong)),
    );
    expect(lines).toHaveLength(4);
    for (const [name, line] of Object.keys(wrong).map((name) => [
      name,
      lines.find((line) => line.includes(name)),
    ])) {
      expect(line).toContain(settingSchemas[name as keyof typeof settingSchemas].description);
    }
  });

  test('of what is missing: every required setting, with its meaning', () => {
    const message = messageFor({ S3_BUCKET: 'b' }, ['DATABASE_URL', 'S3_BUCKET', 'CNAME_SECRET']);
    expect(message).toContain('DATABASE_URL is not set');
    expect(message).toContain('CNAME_SECRET is not set');
    expect(message).toContain(settingSchemas.CNAME_SECRET.description);
    expect(message).not.toContain('S3_BUCKET');
  });

  test('of what is missing and what is wrong together', () => {
    const message = messageFor({ API_PORT: 'x' }, ['DATABASE_URL']);
    expect(message).toContain('API_PORT');
    expect(message).toContain('DATABASE_URL is not set');
  });

  test('without the value of a secret', () => {
    expect(messageFor({ CNAME_SECRET: 'hunter2', API_PORT: 'x' })).not.toContain('hunter2');
  });
});

test.each([
  ['a number with text', { API_PORT: '30x0' }],
  ['a negative port', { API_PORT: '-1' }],
  ['a fraction of a byte', { MAX_BODY_BYTES: '2000.5' }],
  ['an origin with a path', { PUBLIC_ORIGIN: 'https://{hostname}/x' }],
  ['an origin without the hostname', { PUBLIC_ORIGIN: 'https://example.com' }],
  ['a freshness over two seconds', { SITE_FRESH_MS: '2001' }],
])('%s is refused', (_, environment) => {
  expect(() => readConfig(environment)).toThrow(ConfigError);
});

test('the configuration cannot be changed', () => {
  expect(Object.isFrozen(readConfig({}))).toBe(true);
});

test('no secret prints', () => {
  const config = readConfig({ CNAME_SECRET: 'hunter2', S3_SECRET_KEY: 'hunter3' });
  expect(JSON.stringify(config)).not.toMatch(/hunter/);
});

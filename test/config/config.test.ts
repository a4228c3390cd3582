import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/core/config/config.ts';
import { settingSchemas } from '../../src/core/config/settings.ts';
import { ConfigError } from '../../src/platform/process/config-error.ts';
import { Secret } from '../../src/platform/secret.ts';

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

test('an empty or blank variable counts as absent', () => {
  expect(readConfig({ API_PORT: '', S3_BUCKET: '  ', DNS_SERVERS: '' })).toEqual(readConfig({}));
});

test('unrelated variables are ignored', () => {
  expect(readConfig({ PATH: '/bin', API_PORTS: 'x' })).toEqual(readConfig({}));
});

test('values are read by their kind', () => {
  const config = readConfig({
    API_PORT: '0',
    UPLOAD_TIMEOUT_MS: '60000',
    RESERVED_HOSTNAMES: ' Waypost.EXAMPLE. , ,bücher.example,localhost',
    CNAME_BASE: 'Cname.Example.NET.',
    DATABASE_URL: 'postgres://u:p@h/d',
  });
  expect(config).toMatchObject({
    API_PORT: 0,
    UPLOAD_TIMEOUT_MS: 60_000,
    RESERVED_HOSTNAMES: ['waypost.example', 'xn--bcher-kva.example', 'localhost'],
    CNAME_BASE: 'cname.example.net',
  });
  expect(config.DATABASE_URL).toBeInstanceOf(Secret);
  expect(config.DATABASE_URL?.reveal()).toBe('postgres://u:p@h/d');
});

test.each(['https://example.net/bots', 'http://example.net', 'bots@example.net'])(
  '%s is a contact',
  (contact) => {
    expect(readConfig({ OUTBOUND_CONTACT: contact }).OUTBOUND_CONTACT).toBe(contact);
  },
);

test.each([
  ['OUTBOUND_CONTACT', 'example.net'],
  ['OUTBOUND_CONTACT', 'https://example.net/) evil ('],
  ['OUTBOUND_CONTACT', 'https://example.net/\u00e9'],
  ['OUTBOUND_CONTACT', 'https://example.net/\r\nX-A: b'],
  ['OUTBOUND_ALLOWED_RANGES', '10.0.0.0/33'],
  ['OUTBOUND_ALLOWED_RANGES', 'example.net'],
  ['WEBHOOK_SECRET', 'too short'],
])('%s cannot be %s', (name, value) => {
  const message = messageFor({ [name]: value });
  expect(message).toContain(`${name}: `);
  if (name === 'WEBHOOK_SECRET') expect(message).not.toContain(value);
});

describe('errors are reported', () => {
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

  test('for missing settings: every required one, with its meaning', () => {
    const message = messageFor({ S3_BUCKET: 'bucket' }, ['DATABASE_URL', 'S3_BUCKET', 'CNAME_SECRET']);
    expect(message).toContain('DATABASE_URL is not set');
    expect(message).toContain('CNAME_SECRET is not set');
    expect(message).toContain(settingSchemas.CNAME_SECRET.description);
    expect(message).not.toContain('S3_BUCKET');
  });

  test('for missing and wrong settings together', () => {
    const message = messageFor({ API_PORT: 'x' }, ['DATABASE_URL']);
    expect(message).toContain('API_PORT');
    expect(message).toContain('DATABASE_URL is not set');
  });

  test('without the value of a secret', () => {
    expect(messageFor({ DATABASE_URL: 'user:hunter2@host/x' })).not.toContain('hunter2');
    expect(messageFor({ DATABASE_URL: 'postgres://user:hunter2@host:port/x' })).not.toContain('hunter2');
    expect(messageFor({ S3_ENDPOINT: 'https://key:hunter2@host' })).not.toContain('hunter2');
    expect(messageFor({ CNAME_SECRET: 'hunter2', API_PORT: 'x' })).not.toContain('hunter2');
    expect(messageFor({ DASHBOARD_SECRET: 'hunter2' })).not.toContain('hunter2');
  });
});

test.each([
  'postgres://u:p@h:5432/d',
  'postgresql://u:p@[::1]/d?sslmode=disable',
  'postgres:///d?host=/run/postgresql',
  'postgres://u@/d?host=/run/postgresql',
  'postgres://%2Frun%2Fpostgresql/d',
])('%s is an address of Postgres', (url) => {
  expect(readConfig({ DATABASE_URL: url }).DATABASE_URL?.reveal()).toBe(url);
});

test.each([
  ['postgres://u:a/b@h/d', 'in a name or a password write / as %2F'],
  [
    'postgres://h/d?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
    'the file /nowhere/ca.pem, which cannot be read',
  ],
])('%s is refused with its cause', (url, cause) => {
  expect(messageFor({ DATABASE_URL: url })).toContain(cause);
});

test.each(['https://s3.example.net', 'http://127.0.0.1:9000/'])('%s is an address of S3', (url) => {
  expect(readConfig({ S3_ENDPOINT: url }).S3_ENDPOINT).toBe(url);
});

test.each([
  ['a number with text', { API_PORT: '30x0' }],
  ['a negative port', { API_PORT: '-1' }],
  ['a fraction of a byte', { MAX_BODY_BYTES: '2000.5' }],
  ['an origin with a path', { PUBLIC_ORIGIN: 'https://{hostname}/x' }],
  ['an origin without the hostname', { PUBLIC_ORIGIN: 'https://example.com' }],
  ['a freshness over two seconds', { SITE_FRESH_MS: '2001' }],
  ['a database without its scheme', { DATABASE_URL: 'user:pw@host/x' }],
  ['a database of another kind', { DATABASE_URL: 'mysql://user:pw@host/x' }],
  ['a database with a port that is none', { DATABASE_URL: 'postgres://user:pw@host:port/x' }],
  ['an S3 address with a path', { S3_ENDPOINT: 'https://example.net/s3' }],
  ['an S3 address of IPv6', { S3_ENDPOINT: 'http://[::1]:9000' }],
  ['a bucket with its scheme', { S3_BUCKET: 's3://bucket' }],
  ['a bucket that S3 does not take', { S3_BUCKET: 'My_Bucket' }],
  ['an S3 address with a query', { S3_ENDPOINT: 'https://example.net/?' }],
  ['an S3 address with a fragment', { S3_ENDPOINT: 'https://example.net/#x' }],
  ['an S3 address with a user', { S3_ENDPOINT: 'https://key@example.net' }],
  ['a short secret of the dashboard', { DASHBOARD_SECRET: 'short' }],
  ['an origin of the dashboard with a path', { DASHBOARD_ORIGIN: 'https://api.example.net/path' }],
  ['an origin of the dashboard without its scheme', { DASHBOARD_ORIGIN: 'api.example.net' }],
  ['a CNAME base that is no hostname', { CNAME_BASE: 'https://cname.example.net' }],
  ['an address as CNAME base', { CNAME_BASE: '192.0.2.1' }],
  ['a CNAME base that leaves no room for targets', { CNAME_BASE: `${'a.'.repeat(110)}aa` }],
  ['a reserved name that is no hostname', { RESERVED_HOSTNAMES: 'example.net,*.example.com' }],
])('%s is refused', (_, environment) => {
  expect(() => readConfig(environment)).toThrow(ConfigError);
  expect(messageFor(environment)).toContain(`\n  ${Object.keys(environment)[0]}: `);
});

test('the configuration cannot be changed', () => {
  expect(Object.isFrozen(readConfig({}))).toBe(true);
});

test('no secret prints', () => {
  const config = readConfig({ CNAME_SECRET: 'hunter2', S3_SECRET_KEY: 'hunter3' });
  expect(JSON.stringify(config)).not.toMatch(/hunter/);
});

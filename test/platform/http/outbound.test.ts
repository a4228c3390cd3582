/** Requests that strangers must not make us send. A listener on loopback must get none. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  createAskOutside,
  type OutboundError,
  type OutboundOptions,
} from '../../../src/platform/http/outbound.ts';
import { createAddressRule } from '../../../src/platform/http/public-address.ts';

/** Stands for the world: the only address that is not blocked. */
const WORLD = '127.0.0.2';

let heard = 0;
const silent = createServer((_request, response) => response.end('secret'));
silent.on('connection', () => {
  heard += 1;
});
// On all addresses of this machine, IPv6 included.
silent.listen(0, '::');
await once(silent, 'listening');
const { port } = silent.address() as AddressInfo;

/** Redirects to what the test sets, or answers 200 with the path. */
let location: string | undefined;
const asked: string[] = [];
const world = createServer((request, response) => {
  asked.push(`${request.headers.host} ${request.url}`);
  if (location === undefined) response.end(request.url);
  else response.writeHead(302, { Location: location }).end();
});
world.listen(0, WORLD);
await once(world, 'listening');
const worldUrl = `http://${WORLD}:${(world.address() as AddressInfo).port}`;

afterAll(async () => {
  for (const server of [silent, world]) await close(server);
});
async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

beforeEach(() => {
  heard = 0;
  location = undefined;
  asked.length = 0;
});

const open = (changed: Partial<OutboundOptions> = {}) => {
  const ask = createAskOutside({ allowedRanges: [WORLD], ...changed });
  return (url: string, more = {}) =>
    ask({ kind: 'key file', url, timeoutMs: 60_000, maxBodyBytes: 1000, ...more });
};
const resolveTo = (...addresses: string[]): LookupFunction =>
  ((_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as LookupFunction;

async function refusal(asking: Promise<unknown>): Promise<OutboundError> {
  return asking.then(
    () => expect.fail('it was answered'),
    (error) => error,
  );
}

describe('literal addresses that lead to this machine, or into its network', () => {
  test.each([
    ...[
      '127.0.0.1',
      '127.1',
      '127.0.0.1.',
      '2130706433',
      '017700000001',
      '0177.0.0.1',
      '0x7f.0.0.1',
      '0x7f000001',
    ],
    ...[
      '①②⑦.⓪.⓪.①',
      '127。0。0。1',
      '%31%32%37.0.0.1',
      '0.0.0.0',
      '0',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.0.1',
    ],
    ...['169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', '224.0.0.1', '255.255.255.255'],
    ...[
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[::127.0.0.1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::ffff:0:127.0.0.1]',
    ],
    ...['[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[fe80::1]'],
    ...['[fd00:ec2::254]', '[fc00::1]', '[ff02::1]', '[fec0::1]', '[100::1]', '[3fff::1]', '[5f00::1]'],
  ])('%s', async (host) => {
    for (const scheme of ['http', 'https']) {
      expect(await refusal(open()(`${scheme}://${host}:${port}/`))).toMatchObject({
        name: 'OutboundError',
        reason: 'blocked',
      });
    }
    expect(heard).toBe(0);
  });
});

test.each([
  ['a zone id', () => `http://[fe80::1%25lo]:${port}/`],
  ['a zone id of loopback', () => `http://[::1%25lo]:${port}/`],
  ['user and password', () => `http://user:password@127.0.0.1:${port}/`],
  ['a user that looks like a host', () => `http://${WORLD}@127.0.0.1:${port}/`],
  ['another scheme', () => `ftp://127.0.0.1:${port}/`],
  ['a file', () => 'file:///etc/passwd'],
  ['data', () => 'data:text/plain,x'],
  ['a relative address', () => '/etc'],
])('an address with %s is refused', async (_, url) => {
  expect(await refusal(open()(url()))).toMatchObject({ reason: 'blocked' });
  expect(heard).toBe(0);
});

describe('names', () => {
  test.each([
    ['loopback', ['127.0.0.1']],
    ['loopback first', ['127.0.0.1', WORLD]],
    ['loopback second', [WORLD, '127.0.0.1']],
    ['loopback of IPv6', ['::1']],
    ['a mapped address', [WORLD, '::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['a link-local address with a zone', ['fe80::1%lo']],
    ['no address at all', ['nonsense']],
    ['nothing', []],
  ])('that lead to %s', async (_, addresses) => {
    const ask = open({ lookup: resolveTo(...addresses) });
    for (const scheme of ['http', 'https']) {
      expect(await refusal(ask(`${scheme}://www.example.com:${port}/`))).toMatchObject({ reason: 'blocked' });
    }
    expect(heard).toBe(0);
  });

  test('that change their address between the check and the connection', async () => {
    const answers = [WORLD, '127.0.0.1', '127.0.0.1'];
    let lookups = 0;
    const lookup = ((name, options, callback) =>
      resolveTo(answers[lookups++]!)(name, options, callback)) as LookupFunction;
    const ask = open({ lookup });
    const { port: worldPort } = new URL(worldUrl);
    expect(await ask(`http://rebinding.example.com:${worldPort}/a`)).toMatchObject({ status: 200 });
    expect(lookups).toBe(1);
    expect(await refusal(ask(`http://rebinding.example.com:${port}/`))).toMatchObject({ reason: 'blocked' });
    expect(asked).toEqual([`rebinding.example.com:${worldPort} /a`]);
    expect(heard).toBe(0);
  });

  test('of this machine, as the system resolves them', async () => {
    expect(await refusal(open()(`http://localhost:${port}/`))).toMatchObject({ reason: 'blocked' });
    expect(heard).toBe(0);
  });

  test('that nobody knows', async () => {
    const lookup = ((_name, _options, callback) =>
      callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), '')) as LookupFunction;
    const error = await refusal(open({ lookup })('http://www.example.com/'));
    expect(error).toMatchObject({ reason: 'unreachable', message: 'ENOTFOUND' });
  });
});

describe('redirects', () => {
  test.each([
    ['loopback', () => `http://127.0.0.1:${port}/`],
    ['loopback in decimal', () => `http://2130706433:${port}/`],
    ['loopback without a scheme', () => `//127.0.0.1:${port}/`],
    ['a private name', () => `http://private.example.com:${port}/`],
    ['a user and a password', () => `http://a:b@127.0.0.1:${port}/`],
    ['another scheme', () => 'ftp://ftp.example.com/'],
    ['a file', () => 'file:///etc/passwd'],
  ])('to %s', async (_, to) => {
    location = to();
    const ask = open({ lookup: resolveTo('127.0.0.1') });
    expect(await refusal(ask(`${worldUrl}/`, { redirects: 5 }))).toMatchObject({ reason: 'blocked' });
    expect(asked).toHaveLength(1);
    expect(heard).toBe(0);
  });

  test('are the answer unless they are asked for, and for a request with a body', async () => {
    location = `http://127.0.0.1:${port}/`;
    expect(await open()(`${worldUrl}/a`)).toMatchObject({ status: 302, headers: { location } });
    expect(await open()(`${worldUrl}/a`, { redirects: 5, body: 'x' })).toMatchObject({ status: 302 });
    expect(asked).toHaveLength(2);
    expect(heard).toBe(0);
  });

  test('beyond the limit, in a circle, or to nowhere end with an error', async () => {
    location = '/again';
    expect(await refusal(open()(`${worldUrl}/`, { redirects: 5 }))).toMatchObject({ reason: 'redirects' });
    expect(asked).toHaveLength(6);
    location = 'http://';
    expect(await refusal(open()(`${worldUrl}/`, { redirects: 5 }))).toMatchObject({ reason: 'redirects' });
  });

  test.each([
    ['UTF-8', Buffer.from('/größe/日本'), '/gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC'],
    ['Latin-1', Buffer.from('/größe', 'latin1'), '/gr%C3%B6%C3%9Fe'],
    ['UTF-8 in escapes', Buffer.from('/gr%C3%B6%C3%9Fe'), '/gr%C3%B6%C3%9Fe'],
  ])('to a path in %s are followed', async (_, path, asUrl) => {
    const server = createServer((request, response) => {
      if (request.url !== '/') response.end(request.url);
      // As bytes, as a server that knows nothing of characters sends them.
      else response.writeHead(302, { Location: path.toString('latin1') }).end();
    });
    server.listen(0, WORLD);
    await once(server, 'listening');
    onTestFinished(() => close(server));
    const url = `http://${WORLD}:${(server.address() as AddressInfo).port}`;
    const answer = await open()(`${url}/`, { redirects: 1 });
    expect(String(answer.body)).toBe(asUrl);
    expect(answer.url).toBe(`${url}${asUrl}`);
  });

  test('from an address of ours may not lead into our network', async () => {
    location = `http://127.0.0.1:${port}/`;
    const ask = createAskOutside({ allowedRanges: [] });
    const request = {
      kind: 'ping',
      url: `${worldUrl}/`,
      timeoutMs: 60_000,
      maxBodyBytes: 10,
      isOurs: true,
    } as const;
    expect(await ask(request)).toMatchObject({ status: 302 });
    expect(await refusal(ask({ ...request, redirects: 1 }))).toMatchObject({ reason: 'blocked' });
    expect(heard).toBe(0);
  });
});

test('the listener would have heard: an allowed range, and an address of ours, reach it', async () => {
  const answer = await open({ allowedRanges: ['127.0.0.0/8'] })(`http://0x7f.1:${port}/`);
  expect(String(answer.body)).toBe('secret');
  expect(heard).toBe(1);
  await open({ allowedRanges: [] })(`http://localhost:${port}/`, { isOurs: true });
  expect(heard).toBe(2);
});

test('addresses of the world are public, and an allowed range of one family does not confuse the other', () => {
  const isAllowed = createAddressRule(['10.1.0.0/16', '2001:db8::/32']);
  for (const address of [
    '8.8.8.8',
    '193.0.6.139',
    '2606:4700::1111',
    '10.1.2.3',
    '2001:db8::1',
    '::ffff:10.1.2.3',
  ]) {
    expect(isAllowed(address), address).toBe(true);
  }
  for (const address of ['10.2.0.1', '::1', 'fd00::1', '::ffff:10.2.0.1', '4000::1', 'www.example.com', '']) {
    expect(isAllowed(address), address).toBe(false);
  }
});

import { Packet } from 'dns2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askDns, parseDnsServer } from '../../src/platform/dns/dns-exchange.ts';
import { needs } from './needs.ts';
import { type Pebble, type PebbleDns, startPebble } from './pebble.ts';

describe('the DNS server of Pebble', needs('pebble'), () => {
  let pebble: Pebble;
  let dns: PebbleDns;

  beforeAll(async () => {
    pebble = await startPebble();
    ({ dns } = pebble);
  });
  afterAll(() => pebble[Symbol.asyncDispose]());

  async function ask(name: string, type: keyof typeof Packet.TYPE) {
    const question = { name, type: Packet.TYPE[type] };
    return askDns(parseDnsServer(pebble.dnsServer), question, AbortSignal.timeout(60_000));
  }
  const records = async (name: string, type: keyof typeof Packet.TYPE) => (await ask(name, type)).answers;

  test('has the records that a test sets, until it removes them', async () => {
    await dns.a('a.example.com', ['192.0.2.1', '192.0.2.2']);
    await dns.aaaa('a.example.com', ['2001:db8::1']);
    await dns.cname('c.example.com', 'a.example.com');
    await dns.txt('_waypost.t.example.com', 'wanted');
    await dns.caa('a.example.com', [{ tag: 'issue', value: 'letsencrypt.org' }]);
    expect(await records('a.example.com', 'A')).toHaveLength(2);
    expect(await records('a.example.com', 'AAAA')).toHaveLength(1);
    expect(await records('c.example.com', 'CNAME')).toMatchObject([{ domain: 'a.example.com' }]);
    expect(await records('_waypost.t.example.com', 'TXT')).toMatchObject([{ data: ['wanted'] }]);
    expect(await records('a.example.com', 'CAA')).toMatchObject([{ tag: 'issue', value: 'letsencrypt.org' }]);

    for (const kind of ['a', 'aaaa', 'caa'] as const) await dns[kind]('a.example.com');
    await dns.cname('c.example.com');
    await dns.txt('_waypost.t.example.com');
    expect(await records('a.example.com', 'A')).toMatchObject([{ address: '127.0.0.1' }]);
    expect(await records('a.example.com', 'AAAA')).toEqual([]);
    expect(await records('a.example.com', 'CAA')).toEqual([]);
    expect(await records('c.example.com', 'CNAME')).toEqual([]);
    expect(await records('_waypost.t.example.com', 'TXT')).toEqual([]);
  });

  test('fails for a name while a test wants it', async () => {
    await dns.serverFailure('f.example.com', true);
    expect((await ask('f.example.com', 'A')).header.rcode).toBe(Packet.RCODE.SERVFAIL);
    await dns.serverFailure('f.example.com', false);
    expect((await ask('f.example.com', 'A')).header.rcode).toBe(Packet.RCODE.NOERROR);
  });
});

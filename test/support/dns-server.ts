/** A DNS server on loopback. The test sets its answers. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, Packet } from 'dns2';
import pRetry from 'p-retry';

/** The records of a name. A CNAME record answers questions of all types, with the records of its target. */
export interface DnsRecords {
  readonly cname?: string;
  /** CNAME records, each with its owner and its target. A list too long for UDP goes over TCP. */
  readonly records?: readonly (readonly [owner: string, target: string])[];
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
  readonly txt?: readonly (string | readonly string[])[];
  readonly caa?: readonly (readonly [flags: number, tag: string, value: string])[];
  readonly ns?: readonly string[];
  /** Questions of these types fail. */
  readonly failing?: readonly string[];
}

export type DnsAnswer =
  | DnsRecords
  | 'no such name'
  | 'server failure'
  /** The server does not answer at all. */
  | 'silence';

export interface DnsServer extends AsyncDisposable {
  /** The address in the form of DNS_SERVERS. */
  readonly address: string;
  /** The answers by hostname in lower case. */
  readonly answers: Map<string, DnsAnswer>;
  /** The names of all queries, in order. */
  readonly asked: string[];
}

export async function startDnsServer(host = '127.0.0.1'): Promise<DnsServer> {
  const answers = new Map<string, DnsAnswer>();
  const asked: string[] = [];
  /** A name without its own answer gets the answer of the wildcard below the same parent. */
  const answerOf = (name: string) =>
    answers.get(name.toLowerCase()) ??
    answers.get(name.toLowerCase().replace(/^[^.]*/, '*')) ??
    'no such name';
  const handle: Handler = (request, respond) => {
    const [question] = request.questions;
    const { name, type } = question!;
    asked.push(name);
    const answer = answerOf(name);
    if (answer === 'silence') return;
    const response = Packet.createResponseFromRequest(request);
    const { NXDOMAIN, SERVFAIL } = Packet.RCODE;
    if (answer === 'no such name') response.header.rcode = NXDOMAIN;
    else if (answer === 'server failure' || answer.failing?.includes(nameOf(type)))
      response.header.rcode = SERVFAIL;
    else {
      response.answers.push(...recordsOf(name, type, answer));
      const target = type === Packet.TYPE.CNAME ? undefined : answer.cname && answerOf(answer.cname);
      if (typeof target === 'object') response.answers.push(...recordsOf(answer.cname!, type, target));
    }
    respond(response);
  };
  const { server, port } = await pRetry(() => listen(host, handle), {
    retries: 20,
    minTimeout: 0,
    shouldRetry: ({ error }) => Reflect.get(error, 'code') === 'EADDRINUSE',
  });
  return {
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    answers,
    asked,
    [Symbol.asyncDispose]: async () => void (await server.close()),
  };
}

type Handler = NonNullable<Parameters<typeof createServer>[0]['handle']>;

/** Listens on one port, by UDP and TCP. Another process may have taken the port, or its TCP half. */
async function listen(host: string, handle: Handler) {
  const port = await freeUdpPort();
  const server = createServer({ udp: { type: host.includes(':') ? 'udp6' : 'udp4' }, tcp: true, handle });
  const { promise: failed, reject } = Promise.withResolvers<never>();
  server.on('error', reject);
  try {
    await Promise.race([
      server.listen({ udp: { port, address: host }, tcp: { port, address: host } }),
      failed,
    ]);
    return { server, port };
  } catch (error) {
    // Do not await this: a server that never listened may never close.
    void server.close();
    throw error;
  }
}

const nameOf = (type: number) =>
  Object.entries(Packet.TYPE).find(([, code]) => code === type)?.[0] ?? String(type);

function recordsOf(name: string, type: number, { cname, records = [], ...others }: DnsRecords) {
  const { A, AAAA, CNAME, TXT, CAA, NS } = Packet.TYPE;
  const record = (owner: string, ofType: number, fields: object) =>
    Object.assign(new Packet.Resource(owner, ofType, Packet.CLASS.IN, 60), fields);
  if (cname !== undefined) return [record(name, CNAME, { domain: cname })];
  switch (type) {
    case A:
      return (others.a ?? []).map((address) => record(name, A, { address }));
    case AAAA:
      return (others.aaaa ?? []).map((address) => record(name, AAAA, { address }));
    case TXT:
      return (others.txt ?? []).map((text) => record(name, TXT, { data: [text].flat() }));
    case CAA:
      return (others.caa ?? []).map(([flags, tag, value]) => record(name, CAA, { flags, tag, value }));
    case NS:
      return (others.ns ?? []).map((ns) => record(name, NS, { ns }));
    default:
      return records.map(([owner, target]) => record(owner, CNAME, { domain: target }));
  }
}

async function freeUdpPort(): Promise<number> {
  const probe = createSocket('udp4').bind(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** A DNS server on loopback. The test sets its answers. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, Packet } from 'dns2';
import pRetry from 'p-retry';

export type DnsAnswer =
  | { readonly cname: string }
  /** CNAME records, each with its owner and its target. A list too long for UDP goes over TCP. */
  | { readonly records: readonly (readonly [owner: string, target: string])[] }
  /** An address without an alias, as behind a proxy of the DNS provider. */
  | { readonly address: string }
  | 'no such name'
  | 'server failure'
  /** It does not answer at all. */
  | 'silence';

export interface DnsServer extends AsyncDisposable {
  /** In the form that DNS_SERVERS takes. */
  readonly address: string;
  /** By hostname in lower case. */
  readonly answers: Map<string, DnsAnswer>;
  /** The names of all queries, in order. */
  readonly asked: string[];
}

export async function startDnsServer(host = '127.0.0.1'): Promise<DnsServer> {
  const answers = new Map<string, DnsAnswer>();
  const asked: string[] = [];
  const handle: Handler = (request, respond) => {
    const [question] = request.questions;
    const name = question!.name;
    asked.push(name);
    const answer = answers.get(name.toLowerCase()) ?? 'no such name';
    if (answer === 'silence') return;
    const response = Packet.createResponseFromRequest(request);
    if (answer === 'no such name') response.header.rcode = Packet.RCODE.NXDOMAIN;
    else if (answer === 'server failure') response.header.rcode = Packet.RCODE.SERVFAIL;
    else if ('cname' in answer) response.answers.push(cnameRecord(name, answer.cname));
    else if ('records' in answer) {
      response.answers.push(...answer.records.map(([owner, target]) => cnameRecord(owner, target)));
    }
    // An address does not answer a CNAME question: no error and no record.
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
    // Not awaited: what never listened may never close.
    void server.close();
    throw error;
  }
}

function cnameRecord(owner: string, target: string) {
  const record = new Packet.Resource(owner, Packet.TYPE.CNAME, Packet.CLASS.IN, 60);
  return Object.assign(record, { domain: target });
}

async function freeUdpPort(): Promise<number> {
  const probe = createSocket('udp4').bind(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

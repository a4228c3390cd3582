/** A DNS server on loopback that answers as the test says. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, Packet } from 'dns2';

export type DnsAnswer =
  | { readonly cname: string }
  /** An address and no alias, as behind a proxy of the DNS provider. */
  | { readonly address: string }
  | 'no such name'
  | 'server failure'
  /** It says nothing at all. */
  | 'silence';

export interface DnsServer extends AsyncDisposable {
  /** As DNS_SERVERS takes it. */
  readonly address: string;
  /** By hostname in lower case. */
  readonly answers: Map<string, DnsAnswer>;
  /** The names that were asked for, in order. */
  readonly asked: string[];
}

export async function startDnsServer(): Promise<DnsServer> {
  const answers = new Map<string, DnsAnswer>();
  const asked: string[] = [];
  const server = createServer({
    udp: true,
    handle: (request, respond) => {
      const [question] = request.questions;
      const name = question!.name;
      asked.push(name);
      const answer = answers.get(name.toLowerCase()) ?? 'no such name';
      if (answer === 'silence') return;
      const response = Packet.createResponseFromRequest(request);
      if (answer === 'no such name') response.header.rcode = Packet.RCODE.NXDOMAIN;
      else if (answer === 'server failure') response.header.rcode = Packet.RCODE.SERVFAIL;
      else if ('cname' in answer) {
        const record = new Packet.Resource(name, Packet.TYPE.CNAME, Packet.CLASS.IN, 60);
        response.answers.push(Object.assign(record, { domain: answer.cname }));
      }
      // An address is no answer to the question for a CNAME: no error, and no record.
      respond(response);
    },
  });
  const port = await freeUdpPort();
  await server.listen({ udp: { port, address: '127.0.0.1' } });
  return {
    address: `127.0.0.1:${port}`,
    answers,
    asked,
    [Symbol.asyncDispose]: async () => void (await server.close()),
  };
}

async function freeUdpPort(): Promise<number> {
  const probe = createSocket('udp4').bind(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** A DNS server on loopback that serves CNAME records, so the demo can really verify any hostname. */
import dns2 from 'dns2';

export interface CnameServer extends AsyncDisposable {
  /** The address of the server, in the form of DNS_SERVERS. */
  readonly address: string;
  /** Makes `hostname` point to `target` from now on. */
  point(hostname: string, target: string): void;
}

export async function startCnameServer(): Promise<CnameServer> {
  const { Packet } = dns2;
  const records = new Map<string, string>();
  const server = dns2.createServer({
    udp: true,
    handle: (request, send) => {
      const response = Packet.createResponseFromRequest(request);
      for (const { name } of request.questions) {
        const target = records.get(name.toLowerCase());
        if (target === undefined) continue;
        const { CNAME } = Packet.TYPE;
        const record = new Packet.Resource({ name, type: CNAME, class: Packet.CLASS.IN, ttl: 60 });
        response.answers.push(Object.assign(record, { domain: target }));
      }
      void send(response);
    },
  });
  await server.listen({ udp: { port: 0, address: '127.0.0.1' } });
  const port = server.addresses().udp?.port;
  return {
    address: `127.0.0.1:${port}`,
    point: (hostname, target) => records.set(hostname.toLowerCase(), target),
    [Symbol.asyncDispose]: async () => void (await server.close()),
  };
}

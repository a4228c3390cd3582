/** The DNS lookup of verification: the name that a hostname's CNAME record points to. */
import { Resolver } from 'node:dns';
import { Packet } from 'dns2';
import { askDns, type DnsServer, parseDnsServer } from '../platform/dns/dns-exchange.ts';
import { canonicalHostname } from '../platform/dns/dns-name.ts';

type CnameAnswer =
  | { readonly kind: 'found'; readonly target: string }
  | { readonly kind: 'none' }
  /** No resolver gave a usable answer. */
  | { readonly kind: 'failed' };

export type LookUpCname = (hostname: string) => Promise<CnameAnswer>;

const TRY_TIMEOUT_MS = 2000;
/** Rounds over all servers, one server after the other. */
const TRIES = 2;
const LOOK_UP_TIMEOUT_MS = 5000;

/** `servers`: addresses, with a port if it is not 53. Undefined: the system's resolvers. */
export function createCnameLookUp(servers: readonly string[] | undefined): LookUpCname {
  return async (hostname) => {
    const endsAt = Date.now() + LOOK_UP_TIMEOUT_MS;
    const inTurn = Array.from({ length: TRIES }, () => dnsServers(servers)).flat();
    for (const server of inTurn) {
      const timeoutMs = Math.min(TRY_TIMEOUT_MS, endsAt - Date.now());
      if (timeoutMs <= 0) break;
      const answer = await askServer(server, hostname, timeoutMs);
      if (answer !== undefined) return answer;
    }
    return { kind: 'failed' };
  };
}

/** Read for each lookup: the system's resolvers may change while we run. */
function dnsServers(servers: readonly string[] | undefined): DnsServer[] {
  const resolver = new Resolver();
  if (servers !== undefined) resolver.setServers(servers);
  return resolver.getServers().map(parseDnsServer);
}

/** Undefined when this server has no usable answer. Another one may. */
async function askServer(
  server: DnsServer,
  hostname: string,
  timeoutMs: number,
): Promise<CnameAnswer | undefined> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const { CNAME } = Packet.TYPE;
    const { header, answers } = await askDns(server, { name: hostname, type: CNAME }, timeout.signal);
    const { NOERROR, NXDOMAIN } = Packet.RCODE;
    if (header.rcode !== NOERROR && header.rcode !== NXDOMAIN) return undefined;
    // Take the hostname's own record. The answer may hold more, such as the CNAME records of its target.
    const record = answers.find(
      (answer) =>
        answer.type === CNAME &&
        answer.class === Packet.CLASS.IN &&
        canonicalHostname(answer.name) === hostname,
    );
    if (record?.domain === undefined) return { kind: 'none' };
    return { kind: 'found', target: canonicalHostname(record.domain) ?? record.domain };
  } catch {
    // The server is silent or unreachable.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

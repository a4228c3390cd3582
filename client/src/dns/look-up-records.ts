/** Asks DNS for all records that decide whether a domain leads to the service. */
import type { Resolver } from 'node:dns/promises';
import type { DnsRecord, DnsState } from '../answers.ts';

export interface Records {
  readonly cname: readonly DnsRecord[];
  /** The TXT records of the name that proves ownership without a CNAME record. */
  readonly txt: readonly DnsRecord[];
  /** The A and AAAA records of the hostname. `targetAddresses` has those of the target. */
  readonly addresses: readonly DnsRecord[];
  readonly targetAddresses: readonly DnsRecord[];
  /** The CAA records of the hostname, or of the nearest parent name that has some. */
  readonly caa: readonly DnsRecord[];
  /** Lookups without an answer, as in `TXT _waypost.example.com: ETIMEOUT`. */
  readonly failures: readonly string[];
}

type Ask = (name: string) => Promise<readonly string[]>;

/** The codes for a missing name, and for a name without such records. */
const NONE = ['ENOTFOUND', 'ENODATA'];

export async function lookUpRecords(
  resolver: Resolver,
  hostname: string,
  { wanted, alternative }: Pick<DnsState, 'wanted' | 'alternative'>,
): Promise<Records> {
  const failures: string[] = [];
  const ask = async (type: string, name: string, resolve: Ask): Promise<DnsRecord[]> => {
    try {
      return (await resolve(name)).map((value) => ({ type, name, value }));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'failed';
      if (!NONE.includes(code)) failures.push(`${type} ${name}: ${code}`);
      return [];
    }
  };
  const addressesOf = async (name: string) => {
    const [four, six] = await Promise.all([
      ask('A', name, (one) => resolver.resolve4(one)),
      ask('AAAA', name, (one) => resolver.resolve6(one)),
    ]);
    return [...four, ...six];
  };
  const askTxt: Ask = async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  const [cname, txt, addresses, targetAddresses, caa] = await Promise.all([
    ask('CNAME', hostname, (name) => resolver.resolveCname(name)),
    ask('TXT', alternative.name, askTxt),
    addressesOf(hostname),
    addressesOf(wanted.value),
    nearestCaa(hostname, (name) => ask('CAA', name, (one) => askCaa(resolver, one))),
  ]);
  return { cname, txt, addresses, targetAddresses, caa, failures };
}

/** RFC 8659, section 3: the first name with records counts, from the hostname upward. */
async function nearestCaa(
  hostname: string,
  ask: (name: string) => Promise<DnsRecord[]>,
): Promise<DnsRecord[]> {
  for (let name = hostname; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    const records = await ask(name);
    if (records.length > 0) return records;
  }
  return [];
}

async function askCaa(resolver: Resolver, name: string): Promise<string[]> {
  const records = await resolver.resolveCaa(name);
  return records.flatMap(({ critical: _, ...tags }) =>
    Object.entries(tags)
      .filter(([, value]) => typeof value === 'string')
      .map(([tag, value]) => `${tag} "${value}"`),
  );
}

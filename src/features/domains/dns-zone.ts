/**
 * Finds the DNS zone of a hostname: the nearest name, from the hostname up to the name that its owner registered, with name servers of its
 * own. The form of a DNS provider takes names relative to the zone.
 */
import { parse } from 'tldts';
import { type LookUp, recordsIn } from '../../platform/dns/look-up.ts';

export interface DnsZone {
  readonly zone: string;
  /** Empty if no lookup found name servers. */
  readonly nameServers: readonly string[];
}

/** The most names that are looked up, the registered name included. A zone is seldom further below the registered name. */
const MAX_NAMES = 4;
const MAX_NAME_SERVERS = 8;

export async function findZone(lookUp: LookUp, hostname: string, endsAt: number): Promise<DnsZone> {
  const registered = registeredName(hostname);
  const below = hostname.slice(0, -registered.length).split('.').slice(0, -1);
  const names = [...below.map((_, n) => [...below.slice(n), registered].join('.')), registered].slice(
    -MAX_NAMES,
  );
  const answers = await Promise.all(names.map((name) => lookUp(name, 'NS', endsAt)));
  for (const [n, answer] of answers.entries()) {
    const zone = names[n]!;
    const own = recordsIn(answer).filter(({ type, owner }) => type === 'NS' && owner === zone);
    if (own.length === 0) continue;
    return {
      zone,
      nameServers: own
        .slice(0, MAX_NAME_SERVERS)
        .map(({ value }) => value)
        .sort(),
    };
  }
  return { zone: registered, nameServers: [] };
}

/**
 * Returns the part of a hostname that is registered at a registry, or below a suffix such as github.io. If there is none, returns the
 * hostname.
 */
export function registeredName(hostname: string): string {
  return parse(hostname, { allowPrivateDomains: true }).domain ?? hostname;
}

/** A name as the form of a DNS provider takes it: without the zone, and `@` for the zone itself. */
export function nameInZone(name: string, zone: string): string {
  if (name === zone) return '@';
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}

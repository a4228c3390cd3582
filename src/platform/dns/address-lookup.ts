/**
 * Resolves hostnames for sockets, by our own resolvers. The system's getaddrinfo has two faults: a silent name server of a customer holds
 * one of the few threads of the process, and customers could reach the private names in /etc/hosts.
 */
import { isIP, type LookupFunction } from 'node:net';
import { isBelow } from './dns-name.ts';
import { type DnsAnswer, type LookUp, recordsOf } from './look-up.ts';

interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

const TIMEOUT_MS = 5000;
/** RFC 6761, section 6.3. */
const LOOPBACK: readonly Address[] = [{ address: '127.0.0.1', family: 4 }];

export function createAddressLookup(lookUp: LookUp): LookupFunction {
  return (hostname, { all }, callback) => {
    void findAddresses(lookUp, hostname).then((found) => {
      const [first] = found;
      // The callback runs outside the promise, so an error in the callback does not reject the promise.
      if (first === undefined) process.nextTick(callback, notFound(hostname), '');
      else if (all) process.nextTick(callback, null, found);
      else process.nextTick(callback, null, first.address, first.family);
    });
  };
}

async function findAddresses(lookUp: LookUp, hostname: string): Promise<readonly Address[]> {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (isBelow(name, 'localhost')) return LOOPBACK;
  const endsAt = performance.now() + TIMEOUT_MS;
  const [a, aaaa] = await Promise.all([lookUp(name, 'A', endsAt), lookUp(name, 'AAAA', endsAt)]);
  return [...addressesIn(name, 'A', a), ...addressesIn(name, 'AAAA', aaaa)];
}

function addressesIn(name: string, type: 'A' | 'AAAA', answer: DnsAnswer): Address[] {
  const family = type === 'A' ? 4 : 6;
  return recordsOf(name, type, answer).flatMap(({ value }) =>
    isIP(value) === family ? [{ address: value, family }] : [],
  );
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

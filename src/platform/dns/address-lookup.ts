/**
 * Resolves hostnames for sockets, by `look-up.ts`. The system's getaddrinfo has two faults: it waits for a silent name server of a customer
 * on one of the few threads of the process, and it gives customers the private names in /etc/hosts.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isBelow } from './dns-name.ts';
import { type DnsAnswer, type LookUp, recordsOf } from './look-up.ts';

/** The time limit for the A and the AAAA records of a name together. */
const TIMEOUT_MS = 5000;
/** The address of localhost and all names below it (RFC 6761, section 6.3). */
const LOOPBACK: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];

export function createAddressLookup(lookUp: LookUp): LookupFunction {
  return (hostname, { all }, callback) => {
    void findAddresses(lookUp, hostname).then((found) => {
      const [first] = found;
      // Call the callback outside the promise, so that an error in the callback does not reject the promise.
      if (first === undefined) process.nextTick(callback, notFound(hostname), '');
      else if (all) process.nextTick(callback, null, found);
      else process.nextTick(callback, null, first.address, first.family);
    });
  };
}

async function findAddresses(lookUp: LookUp, hostname: string): Promise<LookupAddress[]> {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (isBelow(name, 'localhost')) return LOOPBACK;
  const endsAt = performance.now() + TIMEOUT_MS;
  const [a, aaaa] = await Promise.all([lookUp(name, 'A', endsAt), lookUp(name, 'AAAA', endsAt)]);
  return [...addressesIn(name, 'A', a), ...addressesIn(name, 'AAAA', aaaa)];
}

function addressesIn(name: string, type: 'A' | 'AAAA', answer: DnsAnswer): LookupAddress[] {
  const family = type === 'A' ? 4 : 6;
  return recordsOf(name, type, answer).flatMap(({ value }) =>
    isIP(value) === family ? [{ address: value, family }] : [],
  );
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

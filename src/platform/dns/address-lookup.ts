/**
 * Resolves hostnames for sockets, by `look-up.ts`. The system's getaddrinfo has two faults: it waits for a silent name server of a customer
 * on one of the few threads of the process, and it gives customers the private names in /etc/hosts.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { fitsMessage, isBelow } from './dns-name.ts';
import { type DnsAnswer, type LookUp, recordsOf } from './look-up.ts';

/** The time limit for the A and the AAAA records of a name together. */
const TIMEOUT_MS = 5000;
/** The address of localhost and all names below it (RFC 6761, section 6.3). */
const LOOPBACK: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];

export function createAddressLookup(lookUp: LookUp): LookupFunction {
  return (hostname, { all }, callback) => {
    void findAddresses(lookUp, hostname).then(({ found, isKnown }) => {
      const [first] = found;
      // Call the callback outside the promise, so that an error in the callback does not reject the promise.
      if (first === undefined)
        process.nextTick(callback, isKnown ? notFound(hostname) : unknown(hostname), '');
      else if (all) process.nextTick(callback, null, found);
      else process.nextTick(callback, null, first.address, first.family);
    });
  };
}

interface Found {
  readonly found: LookupAddress[];
  /** False if a look-up failed, so that the name may have more addresses. */
  readonly isKnown: boolean;
}

async function findAddresses(lookUp: LookUp, hostname: string): Promise<Found> {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (isBelow(name, 'localhost')) return { found: LOOPBACK, isKnown: true };
  if (!fitsMessage(name)) return { found: [], isKnown: true };
  const endsAt = performance.now() + TIMEOUT_MS;
  const [a, aaaa] = await Promise.all([lookUp(name, 'A', endsAt), lookUp(name, 'AAAA', endsAt)]);
  return {
    found: [...addressesIn(name, 'A', a), ...addressesIn(name, 'AAAA', aaaa)],
    isKnown: a.kind === 'answered' && aaaa.kind === 'answered',
  };
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

/** Returns the error for a name whose look-up failed. The code is that of getaddrinfo for this case. */
function unknown(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`the look-up of ${hostname} failed`), { code: 'EAI_AGAIN' });
}

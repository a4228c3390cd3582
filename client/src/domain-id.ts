/** Finds the id of a domain by its hostname. */
import { domainToASCII } from 'node:url';
import type { Domain } from './answers.ts';
import { WaypostError } from './waypost-error.ts';

/** Converts a hostname to the service's form: lower case, A-labels, no trailing dot. */
function normalHostname(hostname: string): string {
  return domainToASCII(hostname.trim()).replace(/\.$/, '') || hostname;
}

/** Returns the id. `domain`: a hostname or an id. `named`: lists the domain with a hostname, among others perhaps. */
export async function findDomainId(
  domain: string,
  named: (hostname: string) => AsyncIterable<Domain>,
): Promise<string> {
  if (/^domain_\w+$/.test(domain)) return domain;
  const wanted = normalHostname(domain);
  for await (const { id, hostname } of named(wanted)) {
    if (hostname === wanted) return id;
  }
  throw new WaypostError('NOT_FOUND', `Your account has no domain ${wanted}.`);
}

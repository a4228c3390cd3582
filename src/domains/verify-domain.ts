/** Checks that a domain's CNAME record points to us. From then on the domain is served. */

import { isBelow } from '../platform/dns/dns-name.ts';
import { type ChangeSite, type Domain, needsVerification } from './domain.ts';
import { findDomain, markVerified } from './domain-store.ts';
import type { LookUpCname } from './look-up-cname.ts';

export interface VerifyDomainOptions {
  readonly lookUpCname: LookUpCname;
  readonly changeSite: ChangeSite;
}

export interface VerificationOutcome {
  readonly domain: Domain;
  /** For people: the record that was found and the one that is needed. */
  readonly message: string;
}

export async function verifyDomain(
  options: VerifyDomainOptions,
  domain: Domain,
): Promise<VerificationOutcome> {
  if (!needsVerification(domain)) return { domain, message: 'The domain is verified already.' };
  const problem = await findProblem(options.lookUpCname, domain);
  if (problem !== undefined) return { domain, message: problem };
  return {
    domain: (await verifyUnchecked(options, domain)) ?? domain,
    message: 'The domain is verified. Its certificate is being issued, which takes 1 to 5 minutes.',
  };
}

/** Verifies without a DNS lookup. Returns undefined when the domain was deleted meanwhile. */
export async function verifyUnchecked(
  { changeSite }: Pick<VerifyDomainOptions, 'changeSite'>,
  domain: Domain,
): Promise<Domain | undefined> {
  return changeSite(
    domain,
    async (transaction) =>
      // The domain may have been verified or deleted meanwhile. Then its site is written once more, which does no harm.
      (await markVerified(transaction, domain.id)) ?? (await findDomain(transaction, domain.id)),
  );
}

async function findProblem(lookUpCname: LookUpCname, domain: Domain): Promise<string | undefined> {
  // These names always resolve to this machine (RFC 6761, section 6.3). Only all in one accepts them.
  if (isBelow(domain.hostname, 'localhost')) return undefined;
  const wanted = `Create a CNAME record from ${domain.hostname} to ${domain.cnameTarget}`;
  const answer = await lookUpCname(domain.hostname);
  switch (answer.kind) {
    case 'found':
      if (answer.target === domain.cnameTarget) return undefined;
      return `The CNAME record points to the wrong target, ${answer.target}. ${wanted} instead.`;
    case 'none':
      return `No matching CNAME record was found. ${wanted}, DNS only (not proxied). A change can take up to 24 hours to reach all resolvers.`;
    case 'failed':
      return `The DNS lookup of ${domain.hostname} failed or took too long. Try again in a minute.`;
  }
}

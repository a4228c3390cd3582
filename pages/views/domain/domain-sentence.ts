/** What the states of a domain mean for its owner, for every pair of them. */
import type { Domain } from '../../../client/src/answers.ts';

type Pair = Pick<Domain, 'status' | 'sslStatus'>;

const WAITING = 'Nothing is served yet. The next step is the DNS below.';
const FAILED = 'Nothing is served. Correct what is wrong below, then check again.';
const RENEWING = 'Its sitemaps are served over HTTPS. The next certificate is on its way.';

/** Some pairs last only for a moment, or should not be. They have their sentence all the same. */
const SENTENCES: Readonly<Record<Pair['status'], Readonly<Record<Pair['sslStatus'], string>>>> = {
  pending_verification: { pending: WAITING, provisioning: WAITING, active: WAITING, failed: WAITING },
  verified: {
    pending: 'Its sitemaps are served over plain HTTP. The certificate for HTTPS comes next, by itself.',
    provisioning: 'Its sitemaps are served over plain HTTP until the certificate for HTTPS is there.',
    active: 'Its sitemaps are served. The certificate is there, and HTTPS begins in a moment.',
    failed: 'Its sitemaps are served over plain HTTP. No certificate could be issued: see HTTPS below.',
  },
  active: {
    pending: RENEWING,
    provisioning: RENEWING,
    active: 'Its sitemaps are served over HTTPS.',
    failed: 'Its sitemaps are served over HTTPS, but the certificate could not be renewed: see HTTPS below.',
  },
  failed: { pending: FAILED, provisioning: FAILED, active: FAILED, failed: FAILED },
};

export function domainSentence({ status, sslStatus }: Pair): string {
  return SENTENCES[status][sslStatus];
}

/** Whether crawlers can fetch its sitemaps. */
export function isServed({ status }: Pick<Domain, 'status'>): boolean {
  return status === 'verified' || status === 'active';
}

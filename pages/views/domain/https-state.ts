/**
 * What the certificate of a domain is up to. It comes and is renewed by itself, unless something stands in
 * its way.
 */
import type { DomainDetails } from '../../../client/src/answers.ts';
import type { CardState } from './dns-state.ts';

type Issued = Pick<DomainDetails, 'status' | 'sslStatus' | 'certificate'>;

/** `now`: milliseconds. */
export function httpsState({ status, sslStatus, certificate }: Issued, now: number): CardState {
  if (status === 'pending_verification' || certificate === null) return afterDns;
  if (status === 'failed') return certificate.nextAttemptAt === null ? stopped : failed;
  const { lastError, notAfter } = certificate;
  const isValid = notAfter !== null && new Date(notAfter).getTime() > now;
  if (sslStatus === 'failed') return isValid ? renewalFails : failed;
  if (status === 'active') {
    if (lastError !== null) return renewalFails;
    return sslStatus === 'active' ? active : renewing;
  }
  if (lastError !== null) return notYet;
  return notAfter !== null && !isValid ? expired : issuing;
}

const afterDns: CardState = {
  tone: 'waiting',
  word: 'After DNS',
  sentence: 'The certificate comes by itself once the DNS record is right.',
};

const stopped: CardState = {
  tone: 'bad',
  word: 'Stopped',
  sentence:
    'No further attempt is planned. The certificate comes by itself once the domain is verified again.',
};

const failed: CardState = {
  tone: 'bad',
  word: 'Failed',
  sentence: 'No certificate could be issued. Correct the cause. The next attempt comes by itself.',
};

const renewalFails: CardState = {
  tone: 'bad',
  word: 'Renewal fails',
  sentence: 'The certificate in use stays valid until it expires. The next attempt comes by itself.',
};

const active: CardState = {
  tone: 'good',
  word: 'Active',
  sentence: 'The certificate is in use, and is renewed by itself.',
};

const renewing: CardState = {
  tone: 'busy',
  word: 'Renewing',
  sentence: 'The certificate in use stays valid while the next one is issued.',
};

const notYet: CardState = {
  tone: 'waiting',
  word: 'Not yet',
  sentence: 'The last attempt brought no certificate. The next one comes by itself.',
};

const expired: CardState = {
  tone: 'busy',
  word: 'Expired',
  sentence:
    'The certificate has expired, and a new one is being issued. Until then the sitemaps are on plain HTTP.',
};

const issuing: CardState = {
  tone: 'busy',
  word: 'Issuing',
  sentence:
    'The certificate is being issued, which takes 1 to 5 minutes. This page shows it when it is there.',
};

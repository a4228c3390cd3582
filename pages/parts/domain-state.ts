/** The state of a domain in one word, from its DNS and its certificate together. All pages take the word from here. */
import type { DomainRow } from '../../src/edges/dashboard/wire.ts';
import type { Tone } from './tone.ts';

interface ShownState {
  readonly tone: Tone;
  readonly word: string;
}

export function domainState({
  status,
  sslStatus,
  isCertificateFailing,
}: Pick<DomainRow, 'status' | 'sslStatus' | 'isCertificateFailing'>): ShownState {
  if (status === 'failed') return { tone: 'bad', word: 'Not live' };
  if (status === 'pending_verification') return { tone: 'waiting', word: 'Waiting for DNS' };
  if (status === 'active') return { tone: 'good', word: 'Live' };
  if (isCertificateFailing || sslStatus === 'failed') return { tone: 'bad', word: 'No certificate' };
  return { tone: 'busy', word: 'Getting a certificate' };
}

/** Whether crawlers can fetch the sitemaps of the domain. */
export function isServed({ status }: Pick<DomainRow, 'status'>): boolean {
  return status === 'verified' || status === 'active';
}

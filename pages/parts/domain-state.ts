/** The state of a domain, of its DNS and its certificate together, in a word. */
import type { DomainRow } from '../../src/edges/dashboard/wire.ts';
import type { Tone } from './tone.ts';

type States = Pick<DomainRow, 'status' | 'sslStatus'>;

interface ShownState {
  readonly tone: Tone;
  readonly word: string;
}

export function domainState({ status, sslStatus }: States): ShownState {
  if (status === 'failed') return { tone: 'bad', word: 'Needs fixing' };
  if (status === 'pending_verification') return { tone: 'waiting', word: 'Waiting for DNS' };
  if (sslStatus === 'failed') return { tone: 'bad', word: 'Needs fixing' };
  if (status === 'active') return { tone: 'good', word: 'Live' };
  return { tone: 'busy', word: 'Getting a certificate' };
}

/** Whether crawlers can fetch the sitemaps of the domain. */
export function isServed({ status }: Pick<DomainRow, 'status'>): boolean {
  return status === 'verified' || status === 'active';
}

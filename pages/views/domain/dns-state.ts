/**
 * What the last check of the DNS records means. A lookup without an answer says nothing about the records.
 */
import type { DomainDetails } from '../../../client/src/answers.ts';
import type { Tone } from '../../parts/tone.ts';
import { isServed } from './domain-sentence.ts';

export interface CardState {
  readonly tone: Tone;
  readonly word: string;
  readonly sentence: string;
}

type Checked = Pick<DomainDetails, 'status' | 'hostname'> & {
  readonly dns: Pick<DomainDetails['dns'], 'problem' | 'proxied' | 'checkedAt'>;
};

/** The beginning of the problem, as the documentation of the API has it. */
const NO_ANSWER = 'The DNS lookup of ';

/** RFC 6761, section 6.3: such a name is this machine. */
function needsNoRecord(hostname: string): boolean {
  return hostname.endsWith('.localhost');
}

/** Whether there is nothing to do about the records. */
export function isDnsFine({ status, dns }: Pick<Checked, 'status' | 'dns'>): boolean {
  return dns.problem === null && status !== 'pending_verification';
}

/** Whether the last check says which records there are. */
export function hasAnswer({ problem, checkedAt }: Checked['dns']): boolean {
  return checkedAt !== null && !problem?.startsWith(NO_ANSWER);
}

export function dnsState({ status, hostname, dns }: Checked): CardState {
  const served = isServed({ status });
  if (dns.checkedAt === null) {
    if (served) return notNeeded;
    return needsNoRecord(hostname) ? onThisMachine : neverChecked;
  }
  if (dns.problem === null) return served ? right : status === 'failed' ? rightBefore : heldByAnother;
  if (!hasAnswer(dns)) return served ? noAnswerServed : noAnswer;
  if (served) return leadsElsewhere;
  return dns.proxied ? proxied : wrong;
}

const notNeeded: CardState = {
  tone: 'good',
  word: 'Verified',
  sentence: 'The domain is verified without a check of its DNS.',
};

const onThisMachine: CardState = {
  tone: 'waiting',
  word: 'Not checked yet',
  sentence: 'A name below localhost needs no DNS record: it is for trying things out. Check it now.',
};

const neverChecked: CardState = {
  tone: 'waiting',
  word: 'Not checked yet',
  sentence:
    'Create this record where your DNS is managed. It is looked for by itself, and you can check it here.',
};

const heldByAnother: CardState = {
  tone: 'bad',
  word: 'In use elsewhere',
  sentence: 'The record is right, but another account has this hostname. Check again to see what you can do.',
};

const right: CardState = {
  tone: 'good',
  word: 'Right',
  sentence: 'The record leads to Waypost. Keep it: it is checked about once a day.',
};

const rightBefore: CardState = {
  tone: 'good',
  word: 'Right',
  sentence: 'The record was right at the last check.',
};

const noAnswer: CardState = {
  tone: 'neutral',
  word: 'Could not ask',
  sentence: 'Your DNS gave no answer, so nothing is known about the record. It is not wrong because of that.',
};

const noAnswerServed: CardState = {
  ...noAnswer,
  sentence: 'Your DNS gave no answer at the last check. The domain stays served, and is checked again soon.',
};

const leadsElsewhere: CardState = {
  tone: 'bad',
  word: 'Leads elsewhere',
  sentence: 'The domain is still served. If the record stays wrong for 7 days, that ends.',
};

const proxied: CardState = {
  tone: 'bad',
  word: 'Behind a proxy',
  sentence: 'A proxy stands before the record. Set the record to “DNS only” where your DNS is managed.',
};

const wrong: CardState = {
  tone: 'bad',
  word: 'Not right',
  sentence: 'Waypost looks for this record where your DNS is managed.',
};

/**
 * The five steps from a hostname to crawlers that read its sitemaps. A later fault makes a finished step `wrong`. A DNS check without an
 * answer makes the step of the DNS `unknown`.
 */
import type { DomainDetails, FileVisit, PageHost } from '../../../client/src/answers.ts';
import { domainState, isServed } from '../../parts/domain-state.ts';
import { calendarDay, counted, fromNow } from '../../parts/format.ts';
import type { Tone } from '../../parts/tone.ts';
import { stateWord } from './dns-rows.ts';
import { httpsStep } from './https-step.ts';
import { latestVisit } from './last-visit.ts';
import { robotsStep } from './robots-step.ts';

export type StepState = 'done' | 'now' | 'wrong' | 'later' | 'unknown';

export interface Step {
  readonly name: string;
  readonly state: StepState;
  readonly line: string;
  readonly aside?: string | undefined;
}

export interface Checklist {
  readonly dns: Step;
  readonly https: Step;
  readonly upload: Step;
  readonly robots: Step;
  readonly crawl: Step;
}

/** Facts that are read apart from the domain. Undefined while they are not known. */
export interface Seen {
  readonly hosts: readonly PageHost[] | undefined;
  readonly visits: readonly FileVisit[] | undefined;
}

/** `now`: in milliseconds since 1970. */
export function checklist(domain: DomainDetails, { hosts, visits }: Seen, now: number): Checklist {
  const isLive = isServed(domain);
  const robots = robotsStep(domain, hosts);
  return {
    dns: dnsStep(domain, now),
    https: httpsStep(domain, now),
    upload: uploadStep(domain, now),
    robots,
    crawl: crawlStep(isLive && robots.state === 'done', visits, now),
  };
}

function dnsStep({ status, dns, hostname }: DomainDetails, now: number): Step {
  const name = 'DNS';
  const at = dns.provider ? `, at ${dns.provider.name}` : '';
  const aside = dns.checkedAt === null ? undefined : `Checked ${fromNow(dns.checkedAt, now)}`;
  if (isServed({ status })) {
    if (dns.state === 'valid') return { name, state: 'done', line: `Points to Waypost${at}`, aside };
    if (dns.state === 'no_answer')
      return { name, state: 'unknown', line: "Couldn't check. The domain stays live", aside };
    // The domain was verified without a check of its DNS, or the last check was made by an older version.
    if (dns.problem === null) return { name, state: 'done', line: 'Points to Waypost', aside };
    // The card above says what to do about a website.
    const line = dns.state === 'website' ? "Doesn't point to Waypost" : (dns.message ?? dns.problem);
    return { name, state: 'wrong', line, aside };
  }
  if (hostname.endsWith('.localhost'))
    return { name, state: 'now', line: 'A name below localhost needs no record. Check it now' };
  if (dns.state === 'unchecked' || dns.state === 'not_found')
    return { name, state: 'now', line: 'Add one record', aside };
  if (dns.state === 'no_answer') return { name, state: 'unknown', line: dns.message ?? '', aside };
  return { name, state: 'wrong', line: dns.message ?? dns.problem ?? '', aside };
}

function uploadStep(domain: DomainDetails, now: number): Step {
  const { lastUpdated, urlCount, sitemapCount } = domain;
  const name = 'First upload';
  if (lastUpdated === null) {
    return isServed(domain)
      ? { name, state: 'now', line: 'Upload your list of URLs' }
      : { name, state: 'later', line: 'You can upload now; it goes live once the DNS is right' };
  }
  const line = `${counted(urlCount, 'URL')} in ${counted(sitemapCount, 'file')}`;
  return { name, state: 'done', line, aside: fromNow(lastUpdated, now) };
}

function crawlStep(isPossible: boolean, visits: readonly FileVisit[] | undefined, now: number): Step {
  const name = 'First crawl';
  const last = latestVisit(visits ?? []);
  if (last)
    return {
      name,
      state: 'done',
      line: `${last.crawler}: ${last.file}`,
      aside: fromNow(last.lastVisitAt, now),
    };
  const line = 'Usually a few days after the first upload. Submitting the sitemap to Google helps.';
  return { name, state: isPossible ? 'now' : 'later', line };
}

export function stepsOf({ dns, https, upload, robots, crawl }: Checklist): readonly Step[] {
  return [dns, https, upload, robots, crawl];
}

export const doneCount = (steps: Checklist) => stepsOf(steps).filter(({ state }) => state === 'done').length;

/** Sums up the steps in a sentence. */
export function summaryOf(domain: DomainDetails, steps: Checklist): string {
  if (!isServed(domain)) return 'Nothing is live yet.';
  if (domain.lastUpdated === null) return 'Crawlers find nothing here until your first upload.';
  if (steps.dns.state === 'wrong') return 'Your sitemaps are live for now, but the DNS points elsewhere.';
  if (steps.robots.state === 'wrong') return "Your sitemaps are live, but crawlers can't use them yet.";
  if (steps.https.state === 'wrong') return 'Your sitemaps are live, but HTTPS needs you.';
  return 'Your sitemaps are live.';
}

/** Returns the state that stands beside the name of the domain. */
export function headState(
  domain: DomainDetails,
  steps: Checklist,
): { readonly tone: Tone; readonly word: string } {
  const { status, dns } = domain;
  if (status === 'pending_verification') {
    if (dns.state === 'website') return { tone: 'waiting', word: 'Looks like your website' };
    if (dns.state === 'in_use') return { tone: 'bad', word: 'In use elsewhere' };
    return { tone: 'waiting', word: `DNS: ${small(stateWord(dns.state).word)}` };
  }
  const state = domainState({
    ...domain,
    isCertificateFailing: (domain.certificate?.lastError ?? null) !== null,
  });
  const isWrong = stepsOf(steps).some((step) => step.state === 'wrong');
  return isWrong && state.tone !== 'bad' ? { tone: 'bad', word: 'Needs fixing' } : state;
}

/** Returns the day on which a pending domain is removed, as in 21 Dec 2026. Undefined: the domain is not pending. */
export const removalDay = ({ pendingUntil }: DomainDetails) =>
  pendingUntil === null ? undefined : calendarDay(pendingUntil);

const small = (word: string) => word.charAt(0).toLowerCase() + word.slice(1);

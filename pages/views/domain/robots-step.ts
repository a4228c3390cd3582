/** The step of robots.txt: whether crawlers believe the sitemaps about the page hosts. */
import type { DomainDetails, PageHost } from '../../../client/src/answers.ts';
import { counted, fromNow } from '../../parts/format.ts';
import type { Step } from './checklist.ts';

/** The states, the worst first. */
const ORDER: readonly PageHost['state'][] = [
  'unreachable',
  'disallowed',
  'missing',
  'partly',
  'unchecked',
  'found',
];

export function worstHost(hosts: readonly PageHost[]): PageHost | undefined {
  return hosts.toSorted(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || b.urlCount - a.urlCount,
  )[0];
}

export const isHostWrong = ({ state }: PageHost) => state !== 'found' && state !== 'unchecked';

/** `hosts`: undefined while they are not known. */
export function robotsStep(
  { lastUpdated }: Pick<DomainDetails, 'lastUpdated'>,
  hosts: readonly PageHost[] | undefined,
): Step {
  const name = 'robots.txt';
  if (lastUpdated === null)
    return { name, state: 'later', line: "We check your website's file and give you the line to add" };
  if (hosts === undefined) return { name, state: 'later', line: 'One moment …' };
  const worst = worstHost(hosts);
  if (worst === undefined || worst.state === 'unchecked')
    return { name, state: 'now', line: "Checking your website's file" };
  const aside = worst.checkedAt === null ? undefined : `Checked ${fromNow(worst.checkedAt)}`;
  if (worst.state === 'found') {
    const only = hosts.length === 1 ? worst.host : counted(hosts.length, 'host');
    return { name, state: 'done', line: `Valid for ${only}`, aside };
  }
  const others = hosts.filter(isHostWrong).length - 1;
  const more = others > 0 ? `, and ${counted(others, 'more host')}` : '';
  return { name, state: 'wrong', line: `${worst.host}: ${WORDS[worst.state]}${more}`, aside };
}

const WORDS: Readonly<Record<PageHost['state'], string>> = {
  unchecked: 'not checked yet',
  found: 'valid',
  partly: 'the line is missing for some sitemaps',
  missing: 'the line is missing',
  disallowed: 'blocks crawlers',
  unreachable: "can't be read",
};

/** A look-up that does not find its URL, and has not searched all files: whether to look again, and the words for it. */
import type { FoundUrl } from '../../../client/src/answers.ts';
import { counted } from '../../parts/format.ts';

/** The last answer to a look-up. The answers since `sinceMs` have left as many files. Times are those of `performance.now()`. */
export interface LookUp {
  readonly found: FoundUrl;
  readonly sinceMs: number;
  readonly atMs: number;
}

/** An index takes some seconds, but some small files never get one. */
const PATIENCE_MS = 120_000;

export function lookUpAgain(former: LookUp | undefined, found: FoundUrl, atMs: number): LookUp {
  const isSame = former !== undefined && waitingFiles(former.found) === waitingFiles(found);
  return { found, sinceMs: isSame ? former.sinceMs : atMs, atMs };
}

/** Whether the next look-up may search more files. */
export const mayFindMore = ({ found, sinceMs, atMs }: LookUp): boolean =>
  !found.found && waitingFiles(found) > 0 && atMs - sinceMs < PATIENCE_MS;

type Left = Pick<FoundUrl, 'filesLeft' | 'filesUnreadable' | 'sitemapsLeft'>;

/** Returns the number of files that the service can search when it has an index of them. */
const waitingFiles = ({ filesLeft, filesUnreadable }: Left) => filesLeft - filesUnreadable;

/** `looksAgain`: whether the page looks again by itself. `domain`: the searched one. Empty: all domains. */
export function sayLeft(left: Left, looksAgain: boolean, domain: string): string {
  const { filesUnreadable, sitemapsLeft } = left;
  const waiting = waitingFiles(left);
  const isGivenUp = waiting > 0 && !looksAgain;
  const sentences = [
    filesUnreadable > 0 && `${counted(filesUnreadable, 'file')} can't be read: missing or damaged.`,
    waiting > 0 && `${counted(waiting, 'file')} could not be searched${looksAgain ? ' yet' : ''}.`,
    sitemapsLeft > 0 && `${counted(sitemapsLeft, 'sitemap')} could not be searched.`,
    looksAgain && 'We look again every few seconds.',
    domain === '' && (sitemapsLeft > 0 || isGivenUp) && 'Choose a domain.',
    domain !== '' && isGivenUp && 'Try again later.',
  ];
  return sentences.filter(Boolean).join(' ');
}

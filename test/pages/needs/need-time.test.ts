import { expect, test } from 'vitest';
import { needTime } from '../../../pages/parts/needs/need-time.ts';

const NOW = new Date(2026, 10, 23, 12, 0).getTime();
/** Days from now, at 09:40 of the reader. */
const at = (days: number) => new Date(2026, 10, 23 + days, 9, 40).toISOString();

test.each([
  ['heldUpload', 'waiting', null, at(1), 'Discarded tomorrow, 09:40'],
  ['heldUpload', 'waiting', null, at(0), 'Discarded today, 09:40'],
  ['robotsUnreadable', 'bad', at(0), null, 'Since today, 09:40'],
  ['robotsBlocks', 'bad', at(-1), null, 'Since yesterday, 09:40'],
  ['dns', 'bad', at(-3), null, 'Since 20 Nov'],
  ['dns', 'waiting', at(-2), at(28), 'Will be removed on 21 Dec'],
  ['hostnameTaken', 'waiting', at(-29), at(1), 'Will be removed tomorrow'],
  ['dns', 'bad', at(-2), at(5), 'Not served from 28 Nov'],
  ['certificate', 'bad', null, at(6), 'Valid until 29 Nov'],
  ['certificate', 'bad', null, at(60), 'Valid until 22 Jan 2027'],
  ['uploadsRefused', 'bad', new Date(NOW - 7_200_000).toISOString(), null, 'Last try 2 hr ago'],
  ['planDomains', 'waiting', null, null, ''],
] as const)('%s, %s: since %s, until %s', (kind, severity, since, deadline, words) => {
  const need = {
    domain: null,
    sitemapName: null,
    uploadId: null,
    title: '',
    detail: '',
    state: '',
    target: 'dns',
  };
  expect(needTime({ ...need, target: 'dns', kind, severity, since, deadline }, NOW)).toBe(words);
});

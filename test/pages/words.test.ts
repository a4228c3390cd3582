/** Sentences that readers did not understand. None of them may come back. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';

const NOT_SAID = [
  'The next step is the DNS below',
  'Not right',
  'Leads elsewhere',
  'Could not ask',
  'they stand in the way of a CNAME record',
  'when you ask for it',
  'it is as above',
  'add your domain to the name by themselves',
  'can take up to 24 hours',
  'Issuing certificate',
  'certificate could not be had',
  'Believed',
  'Not believed',
  'Crawlers kept out',
  'Crawlers take pages of another host',
  'It will stand at',
  'needs a hostname to stand at',
  'What it is',
  'Waypost begins to read it',
  'Call the column with the addresses',
  'a DOCTYPE is not taken',
  'it is an index of sitemaps: send the sitemaps that it lists',
  'The upload is refused',
  'The former sitemap is as it was',
  'Leave invalid entries out',
  'It gets nothing since',
  'No URL of this file contains',
  'Waypost cannot be reached',
  'This link has been used already',
  'ENOTFOUND',
  'SERVFAIL',
  'Live generation',
  'to generation',
];

/** Sentences of the pages, and those that the server words for them. */
const SOURCES = [
  'pages/{*,{api,parts,shell,views}/**/*}.{ts,tsx}',
  'src/features/{needs,page-hosts,domains}/**/*.ts',
];

/** Returns the code without comments, because people do not see these. */
const codeOf = (file: string) =>
  readFileSync(join(PROJECT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');

const SAID = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: PROJECT })).map(
  (file) => [file, codeOf(file)] as const,
);

test.for(NOT_SAID)('nothing says “%s”', (sentence) => {
  expect(SAID.filter(([, code]) => code.includes(sentence)).map(([file]) => file)).toEqual([]);
});

test('all apostrophes are of one kind', () => {
  const files = globSync('{pages/{*,{api,parts,shell,views}/**/*},src/**/*}.{ts,tsx}', { cwd: PROJECT });
  expect(files.length).toBeGreaterThan(1000);
  expect(files.filter((file) => codeOf(file).includes('\u2019'))).toEqual([]);
});

test('it looks into the pages', () => expect(SAID.length).toBeGreaterThan(100));

test('browsers do not translate the pages, because a translation stays when a text changes', () => {
  const page = readFileSync(join(PROJECT, 'pages/index.html'), 'utf8');
  expect(page).toContain('<html lang="en" translate="no">');
});

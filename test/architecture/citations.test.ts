/**
 * Every citation has a target: `spec 4.5` and `spec D27` in docs/spec, `docs/decisions/0014` in a decision record. So has every link between
 * documents: a file, and in it a heading.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from './import-graph.ts';

const read = (file: string) => readFileSync(resolve(PROJECT, file), 'utf8');
const headings = [...read('docs/spec/interface.md').matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(
  ([, number]) => `spec ${number}`,
);
const decisions = [...read('docs/spec/decisions.md').matchAll(/^\*\*(D\d+)\.\*\*/gm)].map(
  ([, number]) => `spec ${number}`,
);
const records = globSync('docs/decisions/*.md', { cwd: PROJECT }).map((file) => file.split('-', 1)[0]!);
const TARGETS = new Set([...headings, ...decisions, ...records]);

const FILES = globSync('{src,workers,kernels,pages,tools,bench,test,docs}/**/*.{ts,sql,md}', {
  cwd: PROJECT,
});
const CITATION = /\bspec (?:D\d+|\d+(?:\.\d+)?)\b|\bdocs\/decisions\/\d{4}/gi;

test('the specification has sections and decisions, each number once', () => {
  expect(headings).toContain('spec 4.5');
  expect(decisions).toContain('spec D27');
  expect(TARGETS.size).toBe(headings.length + decisions.length + records.length);
});

test('every citation has a target', () => {
  const dangling = FILES.flatMap((file) =>
    [...read(file).matchAll(CITATION)]
      .map(([citation]) => citation.replace(/^Spec/, 'spec'))
      .filter((citation) => !TARGETS.has(citation))
      .map((citation) => `${file}: ${citation}`),
  );
  expect(dangling).toEqual([]);
});

const DOCUMENTS = globSync(['*.md', '{docs,client,python,bench,deploy}/**/*.md'], {
  cwd: PROJECT,
  exclude: (path) => path.includes('node_modules'),
});

/** The anchors that GitHub makes of the headings of a document. */
function anchorsOf(file: string): ReadonlySet<string> {
  const prose = read(file).replaceAll(/^```.*?^```$/gms, '');
  const titles = Array.from(prose.matchAll(/^#+ (.*)$/gm), ([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(titles);
}

test('every link between documents has a target', () => {
  expect(DOCUMENTS.length).toBeGreaterThan(20);
  const dangling = DOCUMENTS.flatMap((file) =>
    Array.from(read(file).matchAll(/\]\(([^)\s#:]*)(?:#([^)\s]+))?\)/g)).flatMap(([, path = '', anchor]) => {
      const target = path === '' ? file : join(dirname(file), path);
      if (!existsSync(resolve(PROJECT, target))) return [`${file}: ${path}`];
      const isThere = anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
      return isThere ? [] : [`${file}: ${path}#${anchor}`];
    }),
  );
  expect(dangling).toEqual([]);
});

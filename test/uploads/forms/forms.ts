/** Writes entries in each form. A test of what holds in every form goes through this table. */
import { type Entry, entrySchema } from '../../../src/core/sitemap/entry.ts';
import { NAMESPACE, URLSET_FOOTER, urlsetHeader } from '../../../src/core/sitemap/namespaces.ts';
import { renderEntry } from '../../../src/core/sitemap/render-entry.ts';
import type { RecordForm } from '../../../src/features/uploads/forms/read-records.ts';
import { withoutEmptyTexts, writeCsv } from './write-csv.ts';

export interface WrittenForm {
  /** The part of an entry that the form can carry. */
  carried(entry: Entry): Partial<Entry>;
  write(entries: readonly Partial<Entry>[]): Buffer;
}

export const WRITTEN_FORMS: Record<RecordForm | 'json', WrittenForm> = {
  json: {
    carried: (entry) => entry,
    write: (entries) => Buffer.from(JSON.stringify({ urls: entries })),
  },
  ndjson: {
    carried: (entry) => entry,
    write: (entries) => Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')),
  },
  text: {
    carried: ({ loc }) => ({ loc }),
    write: (entries) => Buffer.from(entries.map(({ loc }) => `${loc}\n`).join('')),
  },
  csv: { carried: withoutEmptyTexts, write: writeCsv },
  xml: {
    carried: (entry) => entry,
    write: (entries) =>
      Buffer.from(xmlDocument(entries.map((entry) => renderEntry(entry as Entry)).join(''))),
  },
};

/** A document with all namespaces, as we publish it. */
export function xmlDocument(entries: string): string {
  const { image, news, video, xhtml } = NAMESPACE;
  return urlsetHeader(image | news | video | xhtml) + entries + URLSET_FOOTER;
}

/** For `test.each`: each form but JSON, with what writes it. */
export const OTHER_FORMS = Object.entries(WRITTEN_FORMS).filter(([form]) => form !== 'json') as [
  RecordForm,
  WrittenForm,
][];

/** Entries with all members that producers use, and texts that each form must quote in its own way. */
export function variousEntries(count: number): Entry[] {
  return Array.from({ length: count }, (_, i) => entrySchema.parse(KINDS[i % KINDS.length]!(i)));
}

const KINDS: readonly ((i: number) => object)[] = [
  (i) => ({ loc: `https://example.com/${i}` }),
  (i) => ({
    loc: `https://example.com/${i}?a=1&b='x'`,
    lastmod: '2026-01-15',
    changefreq: 'daily',
    priority: 0.8,
  }),
  (i) => ({ loc: `https://example.com/caf%C3%A9/${i}`, lastmod: '2026-01-15T10:00:00+02:00', priority: 1 }),
  (i) => ({
    loc: `https://example.com/i/${i}`,
    images: [{ loc: `https://example.com/${i}.png`, title: 'a "quoted", <b>title</b>; & más ✓' }],
  }),
  (i) => ({
    loc: `https://example.com/h/${i}`,
    hreflang: [
      { href: `https://example.com/en/${i}`, hreflang: 'en' },
      { href: `https://example.com/de/${i}`, hreflang: 'de' },
    ],
  }),
];

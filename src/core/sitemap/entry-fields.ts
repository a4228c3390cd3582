/** Sums up the fields of an entry beside its URL, for people who ask what changed in the entry. */
import { unescapeText } from './xml-text.ts';

interface Element {
  readonly xml: string;
  /** The text that stands for the element. Of elements without a text, only the number is shown. */
  readonly text?: string;
}

/** Each field, and how its elements are found. */
const ELEMENTS = {
  lastmod: textsOf('lastmod'),
  changefreq: textsOf('changefreq'),
  priority: textsOf('priority'),
  images: partsOf('image:image'),
  alternates: (xml: string) =>
    spansOf(xml, '<xhtml:link', '>').map((tag) => ({ xml: tag, text: languageOf(tag) })),
  videos: partsOf('video:video'),
  news: partsOf('news:news'),
} satisfies Record<string, (xml: string) => Element[]>;

export const ENTRY_FIELDS = Object.keys(ELEMENTS) as readonly EntryField[];
export type EntryField = keyof typeof ELEMENTS;

/** Images, videos and news are told by their number, alternates by their languages, all others by their text. */
export type EntryFields = Partial<Readonly<Record<EntryField, string>>>;

/** Returns the fields of an entry. `xml`: an entry that we wrote. */
export function fieldsOf(xml: string): EntryFields {
  return Object.fromEntries(read(xml).map(({ field, shown }) => [field, shown]));
}

/** Returns the fields that differ, with the texts of both entries. The texts are equal if, for instance, only the address of an image differs. */
export function differingFields(from: string, to: string): { from: EntryFields; to: EntryFields } {
  const [former, now] = [read(from), read(to)];
  const without = (fields: readonly Field[], others: readonly Field[]) => {
    const differ = fields.filter(
      ({ field, xml }) => !others.some((other) => other.field === field && other.xml === xml),
    );
    return Object.fromEntries(differ.map(({ field, shown }) => [field, shown]));
  };
  return { from: without(former, now), to: without(now, former) };
}

interface Field {
  readonly field: EntryField;
  readonly shown: string;
  /** All elements of the field. */
  readonly xml: string;
}

function read(xml: string): Field[] {
  return ENTRY_FIELDS.flatMap((field) => {
    const found: readonly Element[] = ELEMENTS[field](xml);
    if (found.length === 0) return [];
    const texts = found.flatMap(({ text }) => (text === undefined ? [] : [unescapeText(text)]));
    const shown = texts.length === 0 ? String(found.length) : texts.join(' ');
    return [{ field, shown, xml: found.map((element) => element.xml).join('') }];
  });
}

function textsOf(name: string): (xml: string) => Element[] {
  const [open, close] = [`<${name}>`, `</${name}>`];
  return (xml) =>
    spansOf(xml, open, close).map((span) => ({ xml: span, text: span.slice(open.length, -close.length) }));
}

function partsOf(name: string): (xml: string) => Element[] {
  return (xml) => spansOf(xml, `<${name}>`, `</${name}>`).map((span) => ({ xml: span }));
}

function languageOf(tag: string): string {
  const [, rest = ''] = tag.split(' hreflang="');
  return rest.slice(0, rest.indexOf('"'));
}

/**
 * Returns each part from an `open` to the next `close`. A regular expression in its place takes quadratic time if many `open` have no
 * `close`.
 */
function spansOf(xml: string, open: string, close: string): string[] {
  const spans: string[] = [];
  for (let at = xml.indexOf(open); at !== -1; ) {
    const end = xml.indexOf(close, at + open.length);
    if (end === -1) break;
    spans.push(xml.slice(at, end + close.length));
    at = xml.indexOf(open, end);
  }
  return spans;
}

/** What an entry says beside its URL, in short: for people who ask what changed in it. */
import { unescapeText } from './xml-text.ts';

/** Each field, and the elements that it stands for. */
const ELEMENTS = {
  lastmod: /<lastmod>([^<]*)/g,
  changefreq: /<changefreq>([^<]*)/g,
  priority: /<priority>([^<]*)/g,
  images: /<image:image>.*?<\/image:image>/gs,
  alternates: /<xhtml:link[^>]*hreflang="([^"]*)"[^>]*>/g,
  videos: /<video:video>.*?<\/video:video>/gs,
  news: /<news:news>.*?<\/news:news>/gs,
} as const;

export const ENTRY_FIELDS = Object.keys(ELEMENTS) as readonly EntryField[];
export type EntryField = keyof typeof ELEMENTS;

/** Images, videos and news are told by their number, alternates by their languages, all others by their text. */
export type EntryFields = Partial<Readonly<Record<EntryField, string>>>;

/** `xml`: an entry that we wrote. */
export function fieldsOf(xml: string): EntryFields {
  return Object.fromEntries(read(xml).map(({ field, shown }) => [field, shown]));
}

/** Returns the fields that differ. A field that differs only inside, such as the address of an image, is in both. */
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
    const found = [...xml.matchAll(ELEMENTS[field])];
    if (found.length === 0) return [];
    const texts = found.flatMap(([, text]) => (text === undefined ? [] : [unescapeText(text)]));
    const shown = texts.length === 0 ? String(found.length) : texts.join(' ');
    return [{ field, shown, xml: found.map(([element]) => element).join('') }];
  });
}

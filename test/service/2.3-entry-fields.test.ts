/** Spec 2.3, docs/FORMAT.md: every field of an entry is rendered and read back, or refused. */
import { expect, test } from 'vitest';
import { FORMAT_EXAMPLES, type FormatExample } from '../sitemap/format-examples.ts';
import { fieldOf, fullEntry, fullEntryWith } from '../sitemap/full-entry.ts';
import { readEntry, readWritten, readXml, type XmlElement } from '../sitemap/read-xml.ts';
import { SITEMAP_SCHEMA, schemaErrors } from '../sitemap/schema-judge.ts';
import { needs } from '../support/needs.ts';
import { fetchXml } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();

const full = fullEntry();
const { loc, images, news, video } = full;

let uploads = 0;

/** Uploads the entries, each as JSON, as a new sitemap, and returns the XML that hosting serves. */
async function published(...urls: (string | object)[]): Promise<string> {
  const sitemapName = String(++uploads);
  const texts = urls.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
  await customer.publish(`{"domain":"${hostname}","sitemapName":"${sitemapName}","urls":[${texts}]}`);
  return fetchXml(waypost, hostname, `/sitemap-${sitemapName}.xml`);
}

const elements = (xml: string) => readXml(xml).children as XmlElement[];

/** The rows of docs/FORMAT.md, as texts of full entries. */
const examples = Object.values(FORMAT_EXAMPLES).flat();
const textOf = ({ field, json }: FormatExample) =>
  field === '' ? json : JSON.stringify(fullEntryWith(field, '<value>')).replace('"<value>"', () => json);

test('2.3 what docs/FORMAT.md accepts comes back as it says', async () => {
  const accepted = examples.filter(({ outcome }) => outcome.kind !== 'refused');
  const served = elements(await published(full, ...accepted.map(textOf)));
  expect(readEntry(served[0]!)).toEqual(full);
  expect(served).toHaveLength(1 + accepted.length);
  for (const [i, { field, json, outcome }] of accepted.entries()) {
    const value = fieldOf(readEntry(served[i + 1]!), field);
    if (outcome.kind === 'written') expect(fieldOf(readWritten(served[i + 1]!), field)).toBe(outcome.as);
    else if (outcome.kind === 'left out') expect(value).toBeUndefined();
    else expect(value).toEqual(JSON.parse(outcome.kind === 'same' ? outcome.as : json));
  }
});

test('4.5 what docs/FORMAT.md refuses is reported with its field and its rule', async () => {
  const refused = examples.flatMap((example) =>
    example.outcome.kind === 'refused' ? [{ ...example, outcome: example.outcome }] : [],
  );
  const { status, json } = await customer.upload(`{"domain":"${hostname}","urls":[${refused.map(textOf)}]}`);
  expect(status).toBe(422);
  const { code, message, details } = json.error;
  const wanted = refused.map(({ outcome }, i) => ({
    field: outcome.at === '' ? `urls[${i}]` : `urls[${i}].${outcome.at}`,
    message: outcome.message,
  }));
  expect(details.errors).toMatchObject(wanted.slice(0, details.errors.length));
  expect(details.errors.length).toBe(Math.min(refused.length, 100));
  expect({ code, count: details.errorCount }).toEqual({ code: 'VALIDATION_ERROR', count: refused.length });
  expect(details.field).toBe(wanted[0]!.field);
  expect(message).toContain(wanted[0]!.field);
});

test('4.5 a fault is reported with its value', async () => {
  const faults: [entry: object, field: string, value: unknown][] = [
    [{ ...full, loc: undefined }, 'loc', null],
    [{ loc: loc.padEnd(2049, 'a') }, 'loc', `${loc.padEnd(256, 'a')}…`],
    [{ loc, images: Array(1001).fill(5) }, 'images', expect.stringMatching(/^\[5,5.*…$/)],
    [{ loc, images: [images[0], {}] }, 'images[1].loc', null],
    [{ loc, news: { ...news, keywords: ['a'] } }, 'news.keywords', ['a']],
    [{ loc, video: { ...video, tag: ['a', ''] } }, 'video.tag[1]', ''],
  ];
  const { json } = await customer.upload({ domain: hostname, urls: faults.map(([entry]) => entry) });
  const wanted = faults.map(([, field, value], i) => ({ field: `urls[${i}].${field}`, value }));
  expect(json.error.details.errors).toMatchObject(wanted);
});

test('2.3 the served XML is valid by the schemas', needs('xmllint', 'the public schemas'), async () => {
  const xml = await published(full, { loc }, { loc, news }, { loc, video }, { loc, images });
  expect(schemaErrors(SITEMAP_SCHEMA, xml)).toBe('');
});

test('4.5 alternates follow loc and lastmod, one link each', async () => {
  const xml = await published({
    ...full,
    hreflang: [...full.hreflang, { href: 'https://a.io/?a=1&b=2', hreflang: 'de' }],
  });
  const links = xml.match(/<xhtml:link [^>]*>/g) ?? [];
  expect(links).toHaveLength(3);
  expect(links[0]).toMatch(/rel="alternate"/);
  expect(links[0]).toMatch(/hreflang="de-AT"/);
  expect(links[2]).toMatch(/href="https:\/\/a\.io\/\?a=1&amp;b=2"/);
  expect(xml.indexOf('<xhtml:link')).toBeGreaterThan(xml.indexOf('</lastmod>'));
});

test('format 1 a file declares only the namespaces that it uses', async () => {
  const declared = async (entry: object) => {
    const xml = await published(entry);
    expect(xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>')).toBe(true);
    return Array.from(xml.matchAll(/ xmlns:(\w+)=/g), ([, prefix]) => prefix).sort();
  };
  expect(await declared({ loc })).toEqual([]);
  expect(await declared({ loc, images })).toEqual(['image']);
  expect(await declared({ loc, images: [], hreflang: [] })).toEqual([]);
  expect(await declared(full)).toEqual(['image', 'news', 'video', 'xhtml']);
});

test('format 20 the language of news is written in lower case', async () => {
  const xml = await published(fullEntryWith('news.publication.language', 'ZH-CN'));
  expect(readEntry(elements(xml)[0]!)).toMatchObject({ news: { publication: { language: 'zh-cn' } } });
});

test('format 22 and 24 entries that are no objects are refused, and numbers beyond the range of JSON readers', async () => {
  const urls = `{"loc":"${loc}"},"${loc}",null,5,[],{"loc":"${loc}","priority":1e400}`;
  const { status, json } = await customer.upload(`{"domain":"${hostname}","urls":[${urls}]}`);
  expect(status).toBe(422);
  expect(json.error.details.errors).toMatchObject([
    { field: 'urls[1]', value: loc },
    { field: 'urls[2]', value: null },
    { field: 'urls[3]', value: 5 },
    { field: 'urls[4]', value: [] },
    { field: 'urls[5].priority', value: 'Infinity' },
  ]);
});

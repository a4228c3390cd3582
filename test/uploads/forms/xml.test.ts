import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { type SitemapItem, XMLToSitemapItemStream } from 'sitemap';
import { describe, expect, test } from 'vitest';
import { parseEntry } from '../../../src/core/sitemap/parse-entry.ts';
import { renderEntry } from '../../../src/core/sitemap/render-entry.ts';
import { anyEntry } from '../../sitemap/arbitrary-entry.ts';
import { collect } from '../../support/collect.ts';
import { needs } from '../../support/needs.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { xmlDocument } from './forms.ts';
import { batchesOf, readForm } from './read-form.ts';
import { deflatedOf, inChunks, renderBody } from './render-body.ts';

const PAGE = 'https://www.example.com/';
const URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const CHUNK_SIZES = [1, 2, 3, 7, 64, 65_536];

async function valuesIn(xml: string, chunkBytes?: number): Promise<unknown[]> {
  return (await readForm('xml', xml, chunkBytes)).map(({ value }) => value);
}

const inUrlset = (...records: string[]) => `${URLSET}${records.join('')}</urlset>`;
const record = (...elements: string[]) => `<url><loc>${PAGE}</loc>${elements.join('')}</url>`;

/** The one violation of a document with one faulty record between two good ones. */
async function violationOf(faulty: string) {
  const seen = [];
  for (const size of CHUNK_SIZES) {
    const records = await readForm('xml', `${URLSET}\n${record()}\n${faulty}\n${record()}\n</urlset>`, size);
    expect(records.map(({ violations }) => violations.length)).toEqual([0, 1, 0]);
    seen.push(records[1]!.violations[0]);
  }
  expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
  return seen[0]!;
}

// Python's ElementTree declares its files as US-ASCII by default.
test.each(['UTF-8', 'utf8', 'us-ascii', 'ASCII'])('a document may be declared as %s', async (encoding) => {
  const xml = `<?xml version='1.0' encoding='${encoding}'?>\n${inUrlset(record())}`;
  expect(await valuesIn(xml)).toEqual([{ loc: PAGE }]);
});

describe('any published file', () => {
  test('is read back as the entries that it was made of, in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEntry, { maxLength: 4 }),
        fc.integer({ min: 1, max: 300 }),
        async (values, chunkBytes) => {
          const entries = values.map((value) => {
            const parsed = parseEntry(value, 0);
            if ('violations' in parsed) throw new Error(JSON.stringify(parsed));
            return parsed.entry;
          });
          const xml = entries.map(renderEntry).join('');
          const records = await readForm('xml', xmlDocument(xml), chunkBytes);
          const again = records.map(({ value }) => parseEntry(value, 0));
          expect(again.map((each) => ('entry' in each ? renderEntry(each.entry) : each)).join('')).toBe(xml);
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  });
});

describe('a record', () => {
  test('has its elements in any order, white space around values, CDATA, comments and references', async () => {
    const xml = `<?xml version='1.0' encoding='utf-8' standalone="yes"?>
      ${URLSET}
        <url><priority> 0.50 </priority>
          <!-- </url> --><?x </url> ?><changefreq>\r\n daily\t</changefreq><lastmod/>
          <loc>
            <![CDATA[https://www.example.com/]]>?a=1&amp;b=&#x32;&#51;
          </loc>
        </url>
      </urlset>`;
    for (const size of CHUNK_SIZES) {
      expect(await valuesIn(xml, size)).toEqual([
        { priority: 0.5, changefreq: 'daily', loc: `${PAGE}?a=1&b=23` },
      ]);
    }
  });

  test('has values of the types that JSON has', async () => {
    const video = (elements: string) =>
      `<v:video xmlns:v="http://www.google.com/schemas/sitemap-video/1.1">${elements}</v:video>`;
    const records = [
      '<v:family_friendly>YES</v:family_friendly><v:live>no</v:live><v:view_count>007</v:view_count>',
      '<v:rating>.5</v:rating><v:duration>+60</v:duration><v:live>true</v:live>',
      '<v:rating>five</v:rating><v:duration>1e400</v:duration><v:live>maybe</v:live>',
    ];
    expect(await valuesIn(inUrlset(...records.map((each) => record(video(each)))))).toEqual([
      { loc: PAGE, video: { family_friendly: true, live: false, view_count: 7 } },
      { loc: PAGE, video: { rating: 0.5, duration: 60, live: true } },
      { loc: PAGE, video: { rating: 'five', duration: '1e400', live: 'maybe' } },
    ]);
  });

  test('keeps the white space of texts', async () => {
    const image = 'xmlns="http://www.google.com/schemas/sitemap-image/1.1"';
    const xml = record(
      `<image ${image}><loc> ${PAGE}a.png </loc><title> a\nb\t</title><caption></caption></image>`,
    );
    expect(await valuesIn(inUrlset(xml))).toEqual([
      { loc: PAGE, images: [{ loc: `${PAGE}a.png`, title: ' a\nb\t', caption: '' }] },
    ]);
  });

  test('may have any prefixes', async () => {
    const xml = `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns="http://www.google.com/schemas/sitemap-news/0.9"
        xmlns:i='http://www.google.com/schemas/sitemap-image/1.1' xmlns:image="urn:other" xmlns:h="http://www.w3.org/1999/xhtml">
      <s:url><s:loc>${PAGE}</s:loc><loc>ignored</loc>
        <news><title>News</title><publication><name>Paper</name></publication></news>
        <i:image><i:loc>${PAGE}1.png</i:loc></i:image><image:image><image:loc>ignored</image:loc></image:image>
        <h:link rel="Alternate nofollow" hreflang="de" href="${PAGE}de"/><h:link rel="canonical" href="x"/>
        <h:link rel="alternate" media="print" href="x"/>
        <i:image><i:loc>${PAGE}2.png</i:loc></i:image>
      </s:url>
      <url><loc>not of a sitemap</loc></url>
      <url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><loc>${PAGE}b</loc></url>
    </s:urlset>`;
    for (const size of CHUNK_SIZES) {
      expect(await valuesIn(xml, size)).toEqual([
        {
          loc: PAGE,
          news: { title: 'News', publication: { name: 'Paper' } },
          images: [{ loc: `${PAGE}1.png` }, { loc: `${PAGE}2.png` }],
          hreflang: [{ hreflang: 'de', href: `${PAGE}de` }],
        },
        { loc: `${PAGE}b` },
      ]);
    }
  });

  test('may have unknown elements and attributes, and other elements named url in it', async () => {
    const xml = inUrlset(
      `<url id="1>2"><loc a='"'>${PAGE}</loc><x>1<loc>no</loc></x><url>no<url/><url a="/>"/></url></url >`,
      '<extra><url><loc>no</loc></url></extra><url/>',
    );
    for (const size of CHUNK_SIZES) expect(await valuesIn(xml, size)).toEqual([{ loc: PAGE }, {}]);
  });
});

test.each([
  ['of sitemaps.org', ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'],
  ['of Google', ' xmlns="http://www.google.com/schemas/sitemap/0.84"'],
  ['of nobody', ''],
])('the namespace may be that %s', async (_, declaration) => {
  expect(await valuesIn(`\ufeff<urlset${declaration}>${record()}</urlset>`, 1)).toEqual([{ loc: PAGE }]);
});

describe('a faulty record has its own violation', () => {
  test.each([
    ['<url><loc>x</loc></url>', 'loc', 'x', 'must be'],
    ['<url></url>', 'loc', null, 'is required'],
    ['<url><loc>a</loc><loc>b</loc></url>', 'loc', 'b', 'must stand there only once'],
    [record('<priority>high</priority>'), 'priority', 'high', 'must be a number from 0 to 1'],
    [
      record('<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:loc>x</i:loc></i:image>'),
      'image:image[1]/image:loc',
      'x',
      'must',
    ],
    [
      record(
        '<h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="xxxx" href="https://a.example/"/>',
      ),
      'xhtml:link[1]/@hreflang',
      'xxxx',
      'must be x-default',
    ],
    [
      '<url><loc>&undefined;</loc></url>',
      'url',
      expect.stringContaining('&undefined;'),
      'must be well-formed XML: ',
    ],
    ['<url><loc>a</url>', 'url', '<url><loc>a</url>', 'must be well-formed XML: '],
    [
      '<url><no:prefix/><![CDATA[?a=1&b=2]]></url>',
      'url',
      expect.any(String),
      'must be well-formed XML: unbound namespace prefix',
    ],
    ['<url><loc>a<</loc></url>', 'url', expect.any(String), 'must be well-formed XML: '],
    ['<url><loc>&#1;</loc></url>', 'url', expect.any(String), 'must be well-formed XML: '],
    ['<url><loc>]]></loc></url>', 'url', expect.any(String), 'must be well-formed XML: '],
    ['<url><a a="1" a="2"/></url>', 'url', expect.any(String), 'must be well-formed XML: '],
    [
      '<url><no:prefix/></url>',
      'url',
      expect.any(String),
      'must be well-formed XML: unbound namespace prefix',
    ],
    ['<url><!DOCTYPE a></url>', 'url', expect.any(String), 'must be well-formed XML: '],
    ['<url <loc>a</loc></url>', 'url', expect.any(String), 'must be well-formed XML: '],
    [
      `<url>${'<a>'.repeat(33)}${'</a>'.repeat(33)}</url>`,
      'url',
      null,
      'must be nested at most 32 levels deep',
    ],
    [
      `<url><a ${Array.from({ length: 1001 }, (_, i) => `a${i}=""`).join(' ')}/></url>`,
      'url',
      null,
      'must not have an element with more than 1000 attributes',
    ],
  ])('%s', async (xml, field, value, message) => {
    const violation = await violationOf(xml);
    expect(violation).toEqual({ line: 3, index: 1, field, value, message: expect.stringContaining(message) });
  });
});

test.each(['?a=1&b=2', 'a & b', 'a&', '?a&amp;b&copy=2', '?a&#38b;'])('a bare & is told: %s', async (loc) => {
  const xml = `<url><loc>https://a.example/${loc}</loc></url>`;
  const message = 'must be well-formed XML: write & as &amp;';
  expect(await violationOf(xml)).toEqual({ line: 3, index: 1, field: 'url', value: xml, message });
});

describe('a document is refused', () => {
  test.each([
    [
      'an index',
      '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>',
      'line 1: it is an index of sitemaps',
    ],
    ['another root', '\n<rss version="2.0"></rss>', 'line 2: its root must be urlset, not rss'],
    ['another namespace', '<urlset xmlns="urn:x"></urlset>', 'the namespace of its urlset is urn:x'],
    [
      'a DOCTYPE',
      `<?xml version="1.0"?>\n<!DOCTYPE urlset [<!ENTITY a "b">]>${inUrlset()}`,
      'line 2: a DOCTYPE is not taken',
    ],
    [
      'another encoding',
      `<?xml version="1.0" encoding="ISO-8859-1"?>${inUrlset()}`,
      'its declaration says ISO-8859-1',
    ],
    ['XML 1.1', `<?xml version="1.1"?>${inUrlset()}`, 'XML 1.0'],
    ['a late declaration', ` <?xml version="1.0"?>${inUrlset()}`, 'line 1: '],
    ['no XML', '{"urls":[]}', 'line 1: text stands where only elements may'],
    ['an unbound prefix', '<x:urlset/>', 'unbound namespace prefix'],
    [
      'text between records',
      `${URLSET}\n${record()}\nand</urlset>`,
      'line 3: text stands where only elements may',
    ],
    ['CDATA between records', `${URLSET}<![CDATA[ ]]></urlset>`, 'text stands where only elements may'],
    ['a bad comment', `${URLSET}${record()}\n\n<!-- -- --></urlset>`, 'line 3: '],
    ['a fault in an ignored element', `${URLSET}<x>&y;</x></urlset>`, 'undefined entity'],
    ['another end', `${URLSET}${record()}</urlse>`, 'line 1: '],
    ['two roots', `${inUrlset(record())}<urlset/>`, 'line 1: '],
    ['text after the root', `${inUrlset(record())}\n.`, 'line 2: text stands where only elements may'],
    ['no end', `${URLSET}${record()}`, 'it ends too early'],
    ['no end of a record', `${URLSET}${record()}<url>`, 'it ends too early'],
    ['no end of a comment', `${inUrlset(record())}<!-- `, 'it ends too early'],
    ['no root', '<?xml version="1.0"?>\n', 'it ends too early'],
    ['nothing', '', 'it is empty'],
    ['no UTF-8', Buffer.from(`${URLSET}\xff`, 'latin1'), 'UTF-8'],
  ])('%s', async (_, xml, message) => {
    for (const size of CHUNK_SIZES) {
      await expect(batchesOf('xml', xml, size)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(message),
      });
    }
  });

  test('with elements in elements, at once', async () => {
    const [opened, closed] = ['<a>'.repeat(60_000), '</a>'.repeat(60_000)];
    // Without the limit, this takes minutes of the main thread.
    await expect(batchesOf('xml', `${URLSET}\n<x>${opened}${closed}</x></urlset>`)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('line 2: its elements are nested deeper than 32 levels'),
    });
  });

  test('with very many attributes', async () => {
    const attributes = Array.from({ length: 1001 }, (_, i) => `a${i}=""`).join(' ');
    for (const xml of [
      `<urlset ${attributes}/>`,
      `${URLSET}<x><y ${attributes}/></x></urlset>`,
      `${URLSET}<url xmlns="" ${attributes}></url></urlset>`,
    ]) {
      await expect(batchesOf('xml', xml)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('it has an element with more than 1000 attributes'),
      });
    }
  });

  test('with a record, a comment or a root tag that never ends', async () => {
    const long = 'x'.repeat(4 * 1024 * 1024);
    for (const xml of [`${URLSET}\n<url>${long}`, `${URLSET}\n<!--${long}`, `\n<urlset a="${long}`]) {
      await expect(batchesOf('xml', xml)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: 'line 2: must be at most 4194304 bytes long',
      });
    }
  });
});

describe('lines', () => {
  test('are those where records begin, whatever stands between them', async () => {
    const xml = `<?xml version="1.0"?>\n${URLSET}\n${record()}<!--\n\n-->${record()}\n<x>\n</x>\r\n${record('\n')}${record()}</urlset>`;
    for (const size of CHUNK_SIZES) {
      expect((await readForm('xml', xml, size)).map(({ line }) => line)).toEqual([3, 5, 8, 9]);
    }
  });

  test('are right behind long gaps, which end a batch', async () => {
    const gap = `\n${' '.repeat(70_000)}\n`;
    const xml = `${URLSET}\n${record()}${gap}<url/>${gap}<!--${gap}-->${record()}</urlset>`;
    for (const size of [7, 4_099, 1e6]) {
      const batches = await batchesOf('xml', xml, size);
      expect(batches.map(({ firstIndex, firstLine, ends }) => [firstIndex, firstLine, ends.length])).toEqual([
        [0, 2, 1],
        [1, 4, 1],
        [2, 8, 1],
      ]);
    }
  });
});

test('where batches end does not depend on chunks', async () => {
  const records = Array.from({ length: 7_000 }, (_, i) =>
    record(`<a>${'x'.repeat(i % 500)}</a>${i % 7 === 0 ? '\n' : ''}`),
  );
  const xml = inUrlset(...records);
  const whole = await batchesOf('xml', xml, xml.length);
  expect(whole.length).toBeGreaterThan(2);
  for (const size of [999, 65_536]) expect(await batchesOf('xml', xml, size)).toEqual(whole);
});

/** Documents of pieces that are easy to confuse. */
const pieces = fc
  .array(
    fc.constantFrom(
      '<url>',
      '</url>',
      '<url/>',
      '<loc>',
      '</loc>',
      '<loc/>',
      'text',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?x',
      '?>',
      '"',
      "'",
      '<a b="',
      '">',
      ' ',
      '\n',
      '&amp;',
      '&',
      '<',
      '>',
      '</urlset>',
      '<url a="</url>"/>',
      '<urls>',
      '</urls>',
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''));

test('any document is taken only if a strict parser takes it, and has the same records in any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 20 }), async (body, chunkBytes) => {
      const xml = `${URLSET}${body}</urlset>`;
      const read = (size: number) =>
        readForm('xml', xml, size).catch((error) => ({ refused: (error as Error).message }));
      const whole = await read(1e6);
      expect(await read(chunkBytes)).toEqual(whole);
      const isFaulty =
        'refused' in whole ||
        whole.some(({ violations }) => violations.some(({ message }) => message.includes('well-formed')));
      if (!isFaulty) expect(() => new SaxesParser({ xmlns: true }).write(xml).close()).not.toThrow();
    }),
    { numRuns: 5 * PROPERTY_RUNS },
  );
});

test('any record has the same value without the fast path', async () => {
  const texts = fc.constantFrom(
    'a',
    ' a',
    '&amp;&lt;',
    '&#65;',
    '<!---->',
    '"',
    "\\'",
    '\r',
    '\t',
    '\uffff',
    '\uff0c',
    ']]>',
    '>',
    '',
    '0.5',
    '05',
    'yes',
    'é',
  );
  const tags = fc.constantFrom(
    'loc',
    'priority',
    'image:image',
    'image:loc',
    'image:title',
    'video:video',
    'video:tag',
    'video:live',
    'video:uploader',
    'x',
    'xhtml:link',
  );
  const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
    element: fc.oneof(
      fc.tuple(tags, tie('content')).map(([tag, content]) => `<${tag}>${content}</${tag}>`),
      fc
        .tuple(texts, texts)
        .map(([tag, href]) => `<xhtml:link rel="alternate" hreflang="${tag}" href="${href}"/>`),
    ),
    content: fc.oneof(
      { maxDepth: 3 },
      texts,
      fc.array(tie('element'), { maxLength: 3 }).map((elements) => elements.join('')),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 4 }), async (elements) => {
      const record = `<url>${elements.join('\n')}</url>`;
      const [plain] = await readForm('xml', xmlDocument(record));
      // An attribute keeps it from the fast path.
      const [parsed] = await readForm('xml', xmlDocument(record.replace('<url>', '<url a="">')));
      if (plain?.value !== undefined) expect(parsed).toEqual(plain);
      else expect(parsed?.value).toBeUndefined();
    }),
    { numRuns: 10 * PROPERTY_RUNS },
  );
});

describe('judges', () => {
  test('the parser of npm sitemap finds the same locations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { minLength: 1, maxLength: 3 }), async (entries) => {
        const xml = xmlDocument(
          entries
            .map((entry) => parseEntry(entry, 0))
            .map((parsed) => ('entry' in parsed ? renderEntry(parsed.entry) : ''))
            .join(''),
        );
        const judge = new XMLToSitemapItemStream({ logger: false });
        const judged: SitemapItem[] = await collect(Readable.from([Buffer.from(xml)]).pipe(judge));
        const values = (await valuesIn(xml)) as { loc: string; images?: { loc: string }[] }[];
        expect(values.map(({ loc }) => loc)).toEqual(judged.map(({ url }) => url));
        expect(values.map(({ images = [] }) => images.map(({ loc }) => loc))).toEqual(
          judged.map(({ img }) => img.map(({ url }) => url)),
        );
      }),
      { numRuns: 20 },
    );
  });

  test('a document that xmllint has written again makes the same XML', needs('xmllint'), async () => {
    const entries = fc.sample(anyEntry, { numRuns: 30, seed: 7 });
    const parsed = entries.map((entry) => parseEntry(entry, 0));
    const xml = xmlDocument(parsed.map((each) => ('entry' in each ? renderEntry(each.entry) : '')).join(''));
    const child = promisify(execFile)('xmllint', ['--c14n', '-'], { maxBuffer: 1e8 });
    child.child.stdin!.end(xml);
    const { stdout } = await child;
    const deflated = async (body: string) =>
      deflatedOf(await renderBody('xml', inChunks(Buffer.from(body), 65_536)));
    expect((await deflated(stdout)).equals(await deflated(xml))).toBe(true);
  });
});

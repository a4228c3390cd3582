import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UploadForm } from '../../pages/views/upload/file-form.ts';
import { previewOf } from '../../pages/views/upload/preview/preview.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function look(
  text: string,
  named?: UploadForm,
  { isWhole = true, chosen }: { isWhole?: boolean; chosen?: UploadForm } = {},
) {
  return previewOf({ bytes: bytes(text), isWhole }, named, chosen);
}

describe('the form', () => {
  test.each([
    ['loc,lastmod\nhttps://a.example/,2026-01-01\n', 'csv'],
    ['\uFEFFLoc\r\nhttps://a.example/\r\n', 'csv'],
    ['"loc";"lastmod"\n', 'csv'],
    ['https://a.example/\n', 'text'],
    ['{"loc":"https://a.example/"}\n{"loc":"https://b.example/"}\n', 'ndjson'],
    ['{"loc":"https://a.example/"}', 'ndjson'],
    ['{"urls":[{"loc":"https://a.example/"}]}', 'json'],
    ['{\n  "domain": "a.example",\n  "urls": []\n}', 'json'],
    ['["https://a.example/"]', 'json'],
    ['<?xml version="1.0"?><urlset/>', 'xml'],
    ['\n  <urlset/>', 'xml'],
  ])('of %j is seen without a name', (text, form) => {
    expect(look(text).form).toBe(form);
  });

  test('that is seen wins over the name, and says so', () => {
    const preview = look('{"loc":"https://a.example/"}\n{"loc":"https://b.example/"}\n', 'json');
    expect(preview).toMatchObject({ form: 'ndjson', problems: [] });
    expect(preview.note).toContain('NDJSON');
  });

  test('of a list without a header is plain text, whatever its name', () => {
    expect(look('https://a.example/\nhttps://b.example/\n', 'csv')).toMatchObject({
      form: 'text',
      problems: [],
    });
  });

  test('is the one of the name where nothing is seen', () => {
    expect(look('name\n1\n', 'csv').form).toBe('csv');
    expect(look('hello').form).toBeUndefined();
  });

  test('that a person chooses is the one', () => {
    expect(look('https://a.example/\n', 'csv', { chosen: 'xml' })).toMatchObject({ form: 'xml' });
  });
});

describe('CSV', () => {
  test('shows its columns and first records', () => {
    const text = 'loc, title \n"https://a.example/?x=1,2","say ""hi""\nthere"\nhttps://b.example/,\n';
    expect(look(text, 'csv')).toMatchObject({
      columns: ['loc', 'title'],
      rows: [
        ['https://a.example/?x=1,2', 'say "hi"\nthere'],
        ['https://b.example/', ''],
      ],
      problems: [],
    });
  });

  test('does not show a record that is cut', () => {
    const text = 'loc\nhttps://a.example/\nhttps://b.exa';
    expect(look(text, 'csv', { isWhole: false }).rows).toEqual([['https://a.example/']]);
    expect(look(text, 'csv').rows).toHaveLength(2);
  });

  test.each([
    ['url,lastmod\nhttps://a.example/,2026-01-01\n', 'no column “loc”'],
    ['loc;lastmod\nhttps://a.example/;2026-01-01\n', 'not semicolons'],
    ['loc\tlastmod\nhttps://a.example/\t2026-01-01\n', 'not tabs'],
    ['https://a.example/,2026-01-01\n', 'first line must name the columns'],
    ['loc,,lastmod\n', 'Column 2 has no name'],
    ['loc,LOC\n', 'twice'],
    ['loc,title\nhttps://a.example/,a,b\n', 'Entry 1 has 3 cells, but the header has 2'],
  ])('%j has a problem: %s', (text, problem) => {
    expect(look(text, 'csv').problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('lines', () => {
  test('of text that are no addresses are named', () => {
    expect(look('https://a.example/\n\nwww.b.example\n', 'text').problems).toEqual([
      expect.stringContaining('Line 3 is not an address'),
    ]);
  });

  test('of JSON become a table of all members', () => {
    expect(
      look('{"loc":"https://a.example/"}\r\n{"loc":"https://b.example/","images":[{"loc":"x"}]}\n'),
    ).toMatchObject({
      columns: ['loc', 'images'],
      rows: [
        ['https://a.example/', ''],
        ['https://b.example/', '[{"loc":"x"}]'],
      ],
    });
  });

  test.each([
    ['{"loc":"https://a.example/"}\n[1]\n', 'Line 2 is not one JSON object'],
    ['{"url":"https://a.example/"}\n', 'Line 1 has no “loc”'],
  ])('%j has a problem: %s', (text, problem) => {
    expect(look(text, 'ndjson').problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('a JSON document', () => {
  test('shows its first entries and its other members, wherever they stand', () => {
    const text =
      '{ "domain": "a.example", "urls": [{"loc": "https://a.example/]}"}, {"loc": "b\\""}], "sizeLimit": "balanced" }';
    expect(look(text, 'json')).toMatchObject({
      columns: ['loc'],
      rows: [['https://a.example/]}'], ['b"']],
      members: { domain: 'a.example', sizeLimit: 'balanced' },
      problems: [],
    });
  });

  test('that is cut at any place has no problem', () => {
    const text =
      '{"domain":"a.example","expectedUrlCount":12,"urls":[{"loc":"https://a.example/\\u00fc"},{"loc":"https://b.example/"}]}';
    for (let length = 1; length < text.length; length++) {
      const preview = look(text.slice(0, length), 'json', { isWhole: false, chosen: 'json' });
      expect({ length, problems: preview.problems }).toEqual({ length, problems: [] });
    }
  });

  test.each([
    ['["https://a.example/"]', 'must stand in an object'],
    ['{"urls":["https://a.example/"]}', 'must be an object'],
    ['{"pages":[{"loc":"https://a.example/"}]}', 'no list “urls”'],
    ['{"urls":[{"url":"https://a.example/"}]}', 'Entry 1 has no “loc”'],
    ["{'urls':[]}", 'not JSON'],
    ['{"urls":[],,}', 'not JSON'],
  ])('%j has a problem: %s', (text, problem) => {
    expect(look(text, 'json', { chosen: 'json' }).problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('XML', () => {
  test('shows its first entries', () => {
    const text =
      '<?xml version="1.0" encoding="UTF-8"?><urlset><url><loc>https://a.example/?a=1&amp;b=2</loc></url>' +
      '<url>\n<loc> https://b.example/ </loc><priority>0.5</priority></url></urlset>';
    expect(look(text, 'xml')).toMatchObject({
      columns: ['loc', 'priority'],
      rows: [
        ['https://a.example/?a=1&b=2', ''],
        ['https://b.example/', '0.5'],
      ],
      problems: [],
    });
  });

  test.each([
    ['<?xml version="1.0"?><sitemapindex/>', 'index of sitemaps'],
    ['<!doctype html><html></html>', 'web page'],
    ['<rss version="2.0"></rss>', 'RSS'],
    ['<?xml version="1.0" encoding="ISO-8859-1"?><urlset/>', 'ISO-8859-1'],
    ['<list></list>', 'here it is “list”'],
  ])('%j has a problem: %s', (text, problem) => {
    expect(look(text, 'xml').problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('bytes', () => {
  test.each([
    [[], 'empty'],
    [[0x50, 0x4b, 0x03, 0x04, 0x14], 'Excel'],
    [[0xff, 0xfe, 0x6c, 0x00], 'UTF-16'],
    [[0x00, 0x6c, 0x00, 0x6f], 'UTF-8'],
    [[0x6c, 0x6f, 0x63, 0x0a, 0xfc, 0x0a], 'not in UTF-8'],
  ])('%j have a problem: %s', (given, problem) => {
    const head = { bytes: new Uint8Array(given), isWhole: true };
    expect(previewOf(head, 'csv').problems).toEqual([expect.stringContaining(problem)]);
  });

  test('may end inside of a character', () => {
    const text = bytes('loc\nhttps://a.example/\nhttps://b.example/ü');
    const head = { bytes: text.subarray(0, text.length - 1), isWhole: false };
    expect(previewOf(head, 'csv')).toMatchObject({ rows: [['https://a.example/']], problems: [] });
  });

  test('of any kind end in a preview', () => {
    const forms = fc.constantFrom('csv', 'text', 'ndjson', 'json', 'xml', undefined);
    const text = fc.array(
      fc.constantFrom(...'{}[]",:;\\<>/ \n\rloc', 'url', '"urls":[', '<url>', '</url>', '""', 'https://'),
    );
    fc.assert(
      fc.property(text, forms, forms, fc.boolean(), (parts, named, chosen, isWhole) => {
        const preview = previewOf({ bytes: bytes(parts.join('')), isWhole }, named, chosen);
        expect(preview.rows.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

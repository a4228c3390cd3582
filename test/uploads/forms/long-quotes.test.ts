import { describe, expect, test } from 'vitest';
import { parseDialect } from '../../../src/features/uploads/forms/dialect.ts';
import type { RecordForm } from '../../../src/features/uploads/forms/read-records.ts';
import { readIndex } from '../../../src/features/uploads/loads/read-index.ts';
import { parseTimes } from '../../../src/features/uploads/schedules/cron.ts';
import { readForm } from './read-form.ts';
import { inChunks } from './render-body.ts';

/** Longer than any message may be, and shorter than the longest header of CSV. */
const LONG = 'x'.repeat(12_000);
const MOST = 4000;

async function refusalOf(read: () => unknown): Promise<{ message: string; options?: object }> {
  try {
    await read();
  } catch (error) {
    return error as { message: string };
  }
  throw new Error('it was taken');
}

describe('a refusal quotes only the beginning of', () => {
  test.each<[string, RecordForm, string, object?]>([
    ['an unknown column', 'csv', `loc,${LONG}\n`],
    ['a column that stands twice', 'csv', `loc,hreflang:${LONG},hreflang:${LONG}\n`],
    ['a suggested column', 'csv', `ur${'_'.repeat(12_000)}l,b\n`],
    ['a name that begins as a usual one', 'csv', `url${'_'.repeat(12_000)}l,b\n`],
    ['a header with several separators', 'csv', `${LONG},a;${LONG}|${LONG}\t${LONG}\n`],
    ['columns without the one that is wanted', 'csv', `${LONG},a,${LONG}\n`, { columns: 'loc:b' }],
    ['a first record without a header', 'csv', `loc,${LONG}\n`, { header: 'false', columns: 'loc,-' }],
    ['a parameter', 'csv', '', { columns: `loc:a,${LONG}:b` }],
    ['the root of XML', 'xml', `<${LONG}></${LONG}>`],
    ['a namespace', 'xml', `<urlset xmlns="${LONG}"></urlset>`],
    ['an encoding', 'xml', `<?xml version="1.0" encoding="${LONG}"?><urlset/>`],
    [
      'a reference',
      'xml',
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><a>&${LONG};</a></urlset>`,
    ],
    ['a prefix', 'xml', `<${LONG}:a/>`],
  ])('%s', async (_, form, body, query = {}) => {
    const { message, options } = await refusalOf(() => readForm(form, body, 65_536, { ...query }));
    expect(message.length).toBeLessThan(MOST);
    expect(JSON.stringify(options).length).toBeLessThan(MOST);
  });

  test.each<[string, () => unknown]>([
    ['an index', () => readIndex(inChunks(Buffer.from(`<sitemapindex>&${LONG};</sitemapindex>`), 65_536))],
    ['a cron', () => parseTimes(`${'1'.repeat(12_000)} * * * *`, 'UTC')],
    ['a dialect', () => parseDialect('csv', { columns: `"${LONG}` })],
  ])('%s', async (_, read) => {
    expect((await refusalOf(read)).message.length).toBeLessThan(MOST);
  });

  test('the name of a column of a record', async () => {
    const [record] = await readForm('csv', `loc,${LONG}\nhttps://example.com/,never\n`, 65_536, {
      columns: `loc,lastmod:${LONG}`,
    });
    expect(record!.violations[0]!.field.length).toBeLessThan(300);
    const [cut] = await readForm('csv', `${LONG}\n"https://example.com/\n`, 65_536, {
      columns: `loc:${LONG}`,
    });
    expect(cut!.violations[0]!.field.length).toBeLessThan(300);
  });
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/features/uploads/forms/csv-columns.ts';
import { XML_ENTRY, type XmlObject } from '../../../src/features/uploads/forms/xml-elements.ts';

const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
const sectionOf = (title: string) => page.split(`### ${title}\n`)[1]!.split(/^##+ /m)[0]!;

test('docs/api.md names every column of CSV', () => {
  const section = sectionOf('CSV');
  let message = '';
  try {
    columnsOf(['sku']);
  } catch (error) {
    message = (error as Error).message;
  }
  const names = message.split('expected one of ')[1]!.split('. ')[0]!.split(', ');
  expect(names).toContain('video_uploader_info');
  for (const name of names) expect(section).toContain(`\`${name}\``);
});

test('docs/api.md names every element of XML, and those of a video by one sentence', () => {
  const section = sectionOf('Sitemap XML');
  const tagsOf = ({ byTag }: XmlObject): string[] =>
    [...byTag.values()].flatMap(({ tag, object }) => [tag, ...(object === undefined ? [] : tagsOf(object))]);
  const tags = tagsOf(XML_ENTRY).filter(
    (tag) => tag !== '' && !/^(@|video:(?!video|uploader|tag))/.test(tag),
  );
  expect(tags).toContain('news:stock_tickers');
  for (const tag of tags) expect(section).toContain(`\`${tag}\``);
});

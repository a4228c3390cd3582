/** docs/operator-api.md lists the operations of the operator's API. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ABOUT, DESCRIBED } from '../../../src/edges/operator/operator-operations.ts';

const PAGE = new URL('../../../docs/operator-api.md', import.meta.url);
const TABLES = /(<!-- table: operations -->\n).*(<!-- end of table -->)/s;

function tables(): string {
  return Object.entries(ABOUT.tags)
    .map(([tag, meaning]) => {
      const rows = DESCRIBED.filter((operation) => operation.tag === tag).map(
        ({ method, path, summary, description }) =>
          `| \`${method.toUpperCase()} ${path}\` | ${[summary, description].filter(Boolean).join('. ')} |`,
      );
      return [`### ${tag}`, '', meaning, '', '| operation | does |', '| --- | --- |', ...rows, ''].join('\n');
    })
    .join('\n');
}

test('docs/operator-api.md has the operations of the declarations (--update writes them)', async () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toMatch(TABLES);
  const written = page.replace(TABLES, (_, begin, end) => `${begin}\n${tables()}\n${end}`);
  await expect(written).toMatchFileSnapshot('../../../docs/operator-api.md');
});

/** Makes the tables of docs/FORMAT.md from the format's members and examples, and puts them between their markers. */
import { code, FORMAT_EXAMPLES, type FormatExample } from './format-examples.ts';
import { FORMAT_MEMBERS } from './format-members.ts';

/** Returns the page with every table up to date. Throws if the page lacks the markers of a table. */
export function withTables(page: string): string {
  let result = page;
  for (const [name, table] of tables()) {
    const [begin, end] = [`<!-- table: ${name} -->\n`, '<!-- end of table -->'];
    const from = result.indexOf(begin) + begin.length;
    const to = result.indexOf(end, from);
    if (from < begin.length || to < 0) throw new Error(`docs/FORMAT.md has no place for the table "${name}"`);
    result = result.slice(0, from) + table + result.slice(to);
  }
  return result;
}

function tables(): [name: string, table: string][] {
  const members = Object.entries(FORMAT_MEMBERS).map(([path, members]): [string, string] => [
    `members of ${path === '' ? 'an entry' : path}`,
    tableOf(
      ['Member', '', 'What it is'],
      Object.entries(members).map(([name, [presence, what]]) => [code(name), presence, what]),
    ),
  ]);
  const examples = Object.entries(FORMAT_EXAMPLES).map(([name, rows]): [string, string] => [
    `examples of ${name}`,
    tableOf(
      ['Field', 'Given', 'What happens'],
      rows.map((row) => [code(row.field === '' ? 'urls[i]' : row.field), row.shown, outcomeOf(row)]),
    ),
  ]);
  return [...members, ...examples];
}

function outcomeOf({ field, outcome }: FormatExample): string {
  if (outcome.kind === 'kept') return 'accepted';
  if (outcome.kind === 'left out') return 'accepted, means absent';
  if (outcome.kind === 'written') return `accepted, written as ${code(outcome.as)}`;
  if (outcome.kind === 'same') return `accepted, means ${code(outcome.as)}`;
  const where = outcome.at === field ? '' : ` at ${code(outcome.at)}`;
  return `refused${where}: ${outcome.message.replaceAll('*', '\\*')}`;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

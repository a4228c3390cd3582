/** `npm run graph` prints what each program loads. With a program's name it prints the whole import graph. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Table from 'cli-table3';
import { roomOf } from './floors.ts';
import { PROJECT, type Reach, reachOf } from './import-graph.ts';

const programs = readdirSync(join(PROJECT, 'src'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace('.ts', ''));

const [wanted] = process.argv.slice(2);
if (wanted === undefined) printAll();
else if (programs.includes(wanted)) printOne(wanted);
else {
  console.error(`There is no program ${wanted}. Programs: ${programs.join(', ')}.`);
  process.exitCode = 2;
}

function printAll(): void {
  const table = new Table({
    head: ['program', 'files', 'packages'],
    style: { head: [], border: [] },
    colWidths: [18, 7, 80],
    wordWrap: true,
  });
  for (const program of programs) {
    const { files, imported } = reachOf(`src/${program}.ts`);
    table.push([program, files.length, [...imported].sort().join(' ')]);
  }
  console.log(table.toString());
  console.log('The graph of one of them: npm run graph -- <program>');
}

function printOne(program: string): void {
  const reach = reachOf(`src/${program}.ts`);
  const byRoom = Map.groupBy(reach.files, (file) => roomOf(file) ?? '(program)');
  for (const [room, files] of [...byRoom].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(room);
    for (const file of files.sort()) console.log(`  ${file.replace(/^src\//, '')}${from(file, reach)}`);
  }
  console.log('packages');
  for (const name of [...reach.imported].sort()) console.log(`  ${name}${from(name, reach)}`);
}

function from(target: string, { importedBy }: Reach): string {
  const first = importedBy.get(target);
  return first === undefined ? '' : `  ← ${first.replace(/^src\//, '')}`;
}

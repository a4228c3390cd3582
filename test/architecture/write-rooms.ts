/** `npm run rooms` writes the table of rooms (floors.ts) into the documents that show it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BESIDE, FLOORS } from './floors.ts';
import { PROJECT } from './import-graph.ts';

/** They have the table between two comments. */
export const PAGES_WITH_ROOMS = ['docs/ARCHITECTURE.md', 'docs/CONTRIBUTING.md'];

const TABLE = /(?<=<!-- table: rooms -->\n).*?(?=<!-- end of table -->)/s;

export function withRooms(page: string): string {
  if (!TABLE.test(page)) throw new Error('The page has no place for the table of rooms');
  const rooms = FLOORS.flatMap(({ name, rooms }) =>
    Object.entries(rooms).map(([room, is]) => [name, room === 'src' ? '' : `\`${room}/\``, is]),
  );
  const folders = Object.entries(BESIDE).map(([folder, { is }]) => ['beside `src/`', `\`${folder}/\``, is]);
  const rows = [['floor', 'room', 'what it is'], ['---', '---', '---'], ...rooms, ...folders];
  return page.replace(TABLE, rows.map((cells) => `| ${cells.join(' | ')} |\n`).join(''));
}

if (import.meta.main) {
  for (const name of PAGES_WITH_ROOMS) {
    const file = join(PROJECT, name);
    writeFileSync(file, withRooms(readFileSync(file, 'utf8')));
  }
}

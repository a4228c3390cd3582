/** Runs the tests of the stores and writes each statement of `src` to statements.json: `npm run test:statements`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from '../../src/platform/process/print.ts';
import { type KnownStatement, plainText, STATEMENTS, shapeOf } from './statement-shape.ts';

const folder = mkdtempSync(join(tmpdir(), 'waypost-statements-'));
const recorded = join(folder, 'statements');
writeFileSync(recorded, '');
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'stores'], {
  env: { ...process.env, RECORD_STATEMENTS: recorded },
  stdio: 'inherit',
});
const shapes = new Map<string, KnownStatement>();
for (const line of readFileSync(recorded, 'utf8').split('\n').filter(Boolean)) {
  const { file, text, values }: KnownStatement = JSON.parse(line);
  shapes.set(`${file} ${shapeOf(text)}`, { file, text: plainText(text), values });
}
rmSync(folder, { recursive: true });
const statements = [...shapes.entries()]
  .sort(([left], [right]) => (left < right ? -1 : 1))
  .map(([, one]) => one);
writeFileSync(STATEMENTS, `${JSON.stringify(statements, undefined, 2)}\n`);
spawnSync('npx', ['biome', 'format', '--write', STATEMENTS]);
print(`${statements.length} statements`);
process.exitCode = status ?? 1;

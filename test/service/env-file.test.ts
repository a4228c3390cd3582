/** The scripts of package.json read `.env`, with any version of Node that npm itself runs on. */
import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createDatabase } from './support/separate-waypost.ts';
import { createFolder } from './support/waypost.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const EXAMPLE = join(PROJECT, '.env.example');
const folder = await createFolder();
afterAll(() => folder[Symbol.asyncDispose]());
const databaseUrl = await createDatabase(folder.path);
const file = join(folder.path, '.env');
beforeEach(() => copyFile(EXAMPLE, file));

/** The command that npm would run, in a folder whose only `.env` is ours. */
async function runScript(name: keyof typeof packageJson.scripts, environment: Record<string, string> = {}) {
  const [program, ...parameters] = packageJson.scripts[name].split(' ');
  expect(program).toBe('node');
  const absolute = parameters.map((one) =>
    one.replace(/^(--import=\.\/)?(?=src\/)/, (option) =>
      option === '' ? `${PROJECT}/` : `--import=${PROJECT}/`,
    ),
  );
  const options = { cwd: folder.path, env: { PATH: process.env.PATH ?? '', ...environment } };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((settle) => {
    execFile(process.execPath, absolute, options, (error, stdout, stderr) => {
      settle({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

async function setInFile(lines: Record<string, string>): Promise<void> {
  const text = await readFile(file, 'utf8');
  const added = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, text + added.join(''));
}

test('every script that starts a process or a command reads .env', () => {
  for (const [name, script] of Object.entries(packageJson.scripts)) {
    const isOurs = name.startsWith('start') || ['migrate', 'cli', 'dashboard'].includes(name);
    expect(script.includes('--import=./src/platform/process/load-env-file.ts '), name).toBe(isOurs);
  }
});

test('an unchanged .env.example lacks only the required settings', async () => {
  const { code, stderr } = await runScript('start:api');
  expect(code).toBe(78);
  const named = Array.from(stderr.matchAll(/^\W*([A-Z][A-Z0-9_]+)\b/gm), ([, name]) => name);
  expect(named).toEqual(['DATABASE_URL', 'CNAME_BASE', 'CNAME_SECRET']);
});

test('.env.example works with all defaults spelled out and the database filled in', async () => {
  const text = await readFile(EXAMPLE, 'utf8');
  await writeFile(file, text.replace(/^# (?=[A-Z][A-Z0-9_]+=)/gm, ''));
  await setInFile({ DATABASE_URL: databaseUrl });
  expect(await runScript('migrate')).toMatchObject({ code: 0, stderr: '' });
});

test('a variable of the shell wins over the file', async () => {
  await setInFile({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });
  expect((await runScript('migrate')).code).not.toBe(0);
  expect(await runScript('migrate', { DATABASE_URL: databaseUrl })).toMatchObject({ code: 0 });
});

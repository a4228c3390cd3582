import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { settingSchemas } from '../../src/core/config/settings.ts';

const NAMES = Object.keys(settingSchemas).sort();

function namesIn(file: string, pattern: RegExp): string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');
  return Array.from(text.matchAll(pattern), ([, name]) => name!).sort();
}

/** Variables that only the compose file reads. */
const OF_DOCKER = ['POSTGRES_PASSWORD'];

test('.env.example names every setting once, and nothing else', () => {
  const names = namesIn('.env.example', /^(?:# ?)?([A-Z][A-Z0-9_]+)=/gm);
  expect(names.filter((name) => !OF_DOCKER.includes(name))).toEqual(NAMES);
});

test("the operators' table of settings has every setting once, and nothing else", () => {
  expect(namesIn('docs/operating.md', /^\| `([A-Z][A-Z0-9_]+)` \|/gm)).toEqual(NAMES);
});

test('every setting explains itself', () => {
  for (const [name, schema] of Object.entries(settingSchemas)) expect(schema.description, name).toBeTruthy();
});

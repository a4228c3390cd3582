/** docs/FORMAT.md holds exactly the tables that the tests run; UPDATE=1 rewrites them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { entrySchema } from '../../src/core/sitemap/entry.ts';
import { FORMAT_MEMBERS } from './format-members.ts';
import { withTables } from './format-page.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/FORMAT.md');

test('the page holds the tables that the tests run', () => {
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE === '1') writeFileSync(PAGE, withTables(page));
  else expect(page).toBe(withTables(page));
});

test('the page has no other tables', () => {
  const page = readFileSync(PAGE, 'utf8');
  const emptied = page.replace(/(<!-- table: .* -->\n)(?:\|.*\n)*/g, '$1');
  expect(emptied).not.toMatch(/^\|/m);
  expect(withTables(emptied)).toBe(page);
});

interface ObjectSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly required?: readonly string[];
  readonly items?: ObjectSchema;
  readonly anyOf?: readonly ObjectSchema[];
}

/** For each object of the schema, by its path: whether each member is required. */
function membersIn(schema: ObjectSchema, path = ''): Record<string, Record<string, string>> {
  if (schema.anyOf !== undefined && schema.properties === undefined)
    return Object.assign({}, ...schema.anyOf.map((inner) => membersIn(inner, path)));
  if (schema.items !== undefined) return membersIn(schema.items, `${path}[0]`);
  if (schema.properties === undefined) return {};
  const own = Object.keys(schema.properties).map((name) => [
    name,
    schema.required?.includes(name) ? 'required' : 'optional',
  ]);
  const inner = Object.entries(schema.properties).map(([name, member]) =>
    membersIn(member, path === '' ? name : `${path}.${name}`),
  );
  return Object.assign({ [path]: Object.fromEntries(own) }, ...inner);
}

test("the page lists the schema's members, required and optional", () => {
  const listed = Object.entries(FORMAT_MEMBERS).map(([path, members]) => [
    path,
    Object.fromEntries(Object.entries(members).map(([name, [presence]]) => [name, presence])),
  ]);
  expect(Object.fromEntries(listed)).toEqual(membersIn(z.toJSONSchema(entrySchema) as ObjectSchema));
});

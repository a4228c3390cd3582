/** The example for Terraform asks for nothing that the operator's API does not have. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Judge, pointerPart, readDescription } from '../support/api-description.ts';

const text = readFileSync(new URL('../../deploy/terraform/main.tf', import.meta.url), 'utf8');
const description = readDescription('operator-openapi.json');
const judge = new Judge(description);

/** The attributes of a block, as they are written. */
function attributesOf(block: string): Record<string, string> {
  const found = block.matchAll(/^ {2}(\w+)\s*=\s*(.+)$/gm);
  return Object.fromEntries(
    Array.from(found, ([, name, value]) => [name!, value!.replace(/^"(.*)"$/, '$1')]),
  );
}

const [, provider = ''] = /provider "restapi" \{\n(.*?)\n\}/s.exec(text) ?? [];
const defaults = attributesOf(provider);
const resources = Array.from(
  text.matchAll(/resource "restapi_object" "(\w+)" \{\n(.*?)\n\}/gs),
  ([, name, block]) => ({ name: name!, attributes: { ...defaults, ...attributesOf(block!) } }),
);

/** The requests of the provider in the life of an object: https://github.com/Mastercard/terraform-provider-restapi. */
function requestsOf({ path, ...attributes }: Record<string, string>) {
  const own = `${path}/{id}`;
  const updates = attributes.force_new === undefined;
  return [
    [attributes.create_method ?? 'POST', attributes.create_path ?? path],
    ['GET', attributes.read_path ?? own],
    ...(updates ? [[attributes.update_method ?? 'PUT', attributes.update_path ?? own]] : []),
    ['DELETE', attributes.destroy_path ?? own],
  ] as [string, string][];
}

function operationOf(method: string, path: string) {
  const parts = path.split('/');
  const template = Object.keys(description.paths).find((one) => {
    const wanted = one.split('/');
    const fits = (part: string, n: number) =>
      part === parts[n] || (part.startsWith('{') && /[{.]/.test(parts[n]!));
    return wanted.length === parts.length && wanted.every(fits);
  });
  const operation = template === undefined ? undefined : description.paths[template]?.[method.toLowerCase()];
  return operation === undefined ? undefined : { template: template!, operation };
}

/** Returns the value of `jsonencode(…)`. Its objects are written with equal signs. */
function dataOf(written: string): unknown {
  const [, value = ''] = /^jsonencode\((.*)\)$/.exec(written) ?? [];
  return JSON.parse(value.replaceAll(/(\w+) = /g, '"$1": '));
}

test('it has an object of each kind', () => {
  expect(resources.map(({ name }) => name)).toEqual(['pro', 'tenant', 'domain', 'key']);
  expect(defaults).toMatchObject({ create_method: 'PUT', update_method: 'PUT' });
  expect(text).toContain('Authorization = "Bearer');
});

describe.each(resources)('$name', ({ attributes }) => {
  test('asks for operations that there are', () => {
    for (const [method, path] of requestsOf(attributes)) {
      expect({ method, path, found: operationOf(method, path) }).toEqual({
        method,
        path,
        found: expect.anything(),
      });
    }
  });

  test('sends what the body may have, and finds its id in the answer', () => {
    const [[method, path] = ['', '']] = requestsOf(attributes);
    const { template, operation } = operationOf(method, path)!;
    const at = `/paths/${pointerPart(template)}/${method.toLowerCase()}`;
    const json = pointerPart('application/json');
    const problems = judge.problems(`${at}/requestBody/content/${json}/schema`, dataOf(attributes.data!));
    expect(problems).toEqual([]);
    const answer = Object.values(operation.responses)[0]!.content!['application/json']!.example;
    const found = attributes
      .id_attribute!.split('/')
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], answer);
    expect(found).toEqual(expect.any(String));
  });
});

/** The descriptions of both APIs are OpenAPI 3.1, and say what the error table and the specification say. */
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { buildDocument } from '../../../src/edges/api/openapi/build-document.ts';
import { ERROR_STATUSES } from '../../../src/edges/api/openapi/error-responses.ts';
import { OPERATIONS, TAGS } from '../../../src/edges/api/operations.ts';
import { ABOUT, DESCRIBED } from '../../../src/edges/operator/operator-operations.ts';
import { type Description, Judge, pointerPart } from '../../support/api-description.ts';

const document = buildDocument(OPERATIONS);
const DOCUMENTS = [
  { file: 'openapi.json', document, operations: OPERATIONS, tags: TAGS },
  {
    ...{ file: 'operator-openapi.json', document: buildDocument(DESCRIBED, ABOUT) },
    ...{ operations: DESCRIBED, tags: ABOUT.tags },
  },
];

test('the errors are those of the specification', () => {
  const specification = readFileSync(new URL('../../../docs/spec/interface.md', import.meta.url), 'utf8');
  const rows = Array.from(specification.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \|/gm), ([, status, code]) => [
    code!,
    Number(status),
  ]);
  expect(ERROR_STATUSES).toEqual(Object.fromEntries(rows));
  expect(Object.keys(document.components.responses).sort()).toEqual(
    [...Object.keys(ERROR_STATUSES), 'Other'].sort(),
  );
});

describe.each(DOCUMENTS)('$file', ({ file, document, operations, tags }) => {
  const description: Description = JSON.parse(JSON.stringify(document));

  test('has the description', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`../../${file}`);
  });

  test('has a name of its own and a known tag for every operation, and words for all in its path', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    for (const { id, tag } of operations)
      expect({ id, tag, isKnown: tag in tags }).toEqual({ id, tag, isKnown: true });
    const parameters = Object.values(description.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => operation.parameters),
    );
    expect(parameters.filter((one) => !('description' in one))).toEqual([]);
  });

  test('is OpenAPI 3.1, says an independent validator', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(description) as never);
    expect({ valid, errors, version: validator.version }).toEqual({ valid: true, version: '3.1' });
  });

  test('has examples that are valid by their own schemas', () => {
    const judge = new Judge(description);
    const problems = contentsOf(description).flatMap(([pointer, example]) =>
      judge.problems(`${pointer}/schema`, example).map((problem) => `${pointer}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });
});

/** The pointer to each content in the description, and its example. */
function contentsOf(value: unknown, pointer = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  if ('schema' in value && 'example' in value) return [[pointer, value.example]];
  return Object.entries(value).flatMap(([name, member]) =>
    contentsOf(member, `${pointer}/${pointerPart(name)}`),
  );
}

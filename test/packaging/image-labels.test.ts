/** The labels of the image, as registries show them (the annotations of OCI). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Label } from 'dockerfile-ast';
import { expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { dockerfile } from './build-image.ts';

const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));

const steps = dockerfile.getInstructions().filter((step) => step.getKeyword() === 'LABEL') as Label[];
const lines = new Map(
  steps.flatMap((step) =>
    step.getProperties().map((property) => [property.getName(), property.getRange().start.line] as const),
  ),
);
const labels = Object.fromEntries(
  steps.flatMap((step) => step.getProperties().map((property) => [property.getName(), property.getValue()])),
);

test('they say what the image is, its version, and by arguments of the build where it is from', () => {
  expect(labels).toEqual({
    'org.opencontainers.image.title': 'Waypost',
    'org.opencontainers.image.description': 'Hosts XML sitemaps on hostnames that its customers own',
    'org.opencontainers.image.source': '$SOURCE',
    'org.opencontainers.image.revision': '$REVISION',
    'org.opencontainers.image.created': '$CREATED',
    'org.opencontainers.image.version': version,
  });
});

test.for(['source', 'revision', 'created'])('without its argument, %s is empty rather than wrong', (name) => {
  const line = lines.get(`org.opencontainers.image.${name}`)!;
  // Undefined, if the stage of the image does not declare it.
  expect(dockerfile.resolveVariable(name.toUpperCase(), line)).toBe('');
});

test('the command of the documents gives each argument of the labels', () => {
  const command = /^docker build (?:.*\\\n)*.*/m.exec(
    readFileSync(join(PROJECT, 'docs/operating.md'), 'utf8'),
  );
  const given = Array.from(command?.[0].matchAll(/--build-arg (\w+)=/g) ?? [], ([, name]) => name);
  expect(given.sort()).toEqual(['CREATED', 'REVISION', 'SOURCE']);
});

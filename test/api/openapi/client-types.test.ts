/** The client and the dashboard have the types of answers from the API's description. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { buildDocument } from '../../../src/edges/api/openapi/build-document.ts';
import { OPERATIONS } from '../../../src/edges/api/operations.ts';
import type { Description } from '../../support/api-description.ts';
import { printTypes } from './print-types.ts';

const HEADER = `/**
 * What the API answers, by its description: \`npx vitest run test/api/openapi --update\` writes this file. New members may
 * appear at any time.
 */
`;

const BIOME = 'node_modules/.bin/biome';

test('client/src/answers.ts has the answers of the description', async () => {
  const description: Description = JSON.parse(JSON.stringify(buildDocument(OPERATIONS)));
  const input = `${HEADER}${printTypes(description)}\n`;
  const formatted = execFileSync(BIOME, ['format', '--stdin-file-path=client/src/answers.ts'], { input });
  await expect(formatted.toString()).toMatchFileSnapshot('../../../client/src/answers.ts');
});

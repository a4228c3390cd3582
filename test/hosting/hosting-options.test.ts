import { expect, test } from 'vitest';
import { hostingLimits } from '../../src/compose/open-hosting.ts';
import { readConfig } from '../../src/core/config/config.ts';
import { DEFAULT_LIMITS } from '../../src/edges/hosting/hosting-options.ts';

test('the defaults are those of the settings', () => {
  const limits = hostingLimits(readConfig({}));
  expect(Object.keys(limits)).toHaveLength(10);
  expect(DEFAULT_LIMITS).toMatchObject(limits);
});

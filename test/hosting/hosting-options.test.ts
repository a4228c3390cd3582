import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/hosting/hosting-options.ts';
import { readConfig } from '../../src/platform/config.ts';
import { hostingLimits } from '../../src/services.ts';

test('the defaults are those of the settings', () => {
  const limits = hostingLimits(readConfig({}));
  expect(Object.keys(limits)).toHaveLength(9);
  expect(DEFAULT_LIMITS).toMatchObject(limits);
});

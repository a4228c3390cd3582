import { expect, test } from 'vitest';
import { invalidField } from '../../src/platform/refusal.ts';

test('the message and the details name a field that breaks a rule', () => {
  const refusal = invalidField('sizeLimit', 'huge', 'must be one of a, b');
  expect(refusal).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'sizeLimit: must be one of a, b',
    options: { details: { field: 'sizeLimit', value: 'huge' } },
  });
});

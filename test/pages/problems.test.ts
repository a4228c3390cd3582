/** The messages of the sign-in page if a person was not signed in. */
import { expect, test } from 'vitest';
import { problemIn } from '../../pages/views/problems.ts';

test('without a problem there is nothing to say', () => {
  expect(problemIn('')).toBeUndefined();
  expect(problemIn('?return_to=%2Fdashboard')).toBeUndefined();
});

test('a known problem has a text of its own, and nothing of an unknown one is shown', () => {
  expect(problemIn('?problem=email-domain')).toContain('email address');
  const unknown = problemIn('?problem=%3Cscript%3E');
  expect(unknown).toBe(problemIn('?problem=failed'));
  expect(problemIn('?problem=constructor')).toBe(unknown);
  expect(problemIn('?problem=')).toBe(unknown);
});

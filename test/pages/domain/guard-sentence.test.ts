import { describe, expect, test } from 'vitest';
import { guardSentence, parsePercent } from '../../../pages/views/domain/guard-sentence.ts';

describe('the percentage of a guard', () => {
  test.each([
    ['0', 0],
    [' 30 ', 30],
    ['100', 100],
  ])('takes %j', (text, percent) => {
    expect(parsePercent(text)).toBe(percent);
  });

  // An empty field is not 0, which would hold every upload that removes a URL.
  test.each(['', ' ', '101', '-1', '1.5', '1e1', '٣', '50%', 'half'])('does not take %j', (text) => {
    expect(parsePercent(text)).toBeUndefined();
  });

  test('is told in words, which differ where the guard never holds anything', () => {
    expect(guardSentence(30)).toContain('more than 30%');
    expect(guardSentence(0)).toContain('smaller');
    expect(guardSentence(100)).toContain('No upload is held');
    expect(guardSentence(null)).toContain('Every upload is published');
  });
});

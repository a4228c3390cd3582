import { describe, expect, test } from 'vitest';
import { isLanguageTag } from '../../src/core/sitemap/language-tag.ts';

describe('accepted language tags', () => {
  test.each([
    'en',
    'EN',
    'en-GB',
    'EN-gb',
    'zh-Hant',
    'zh-hANT-tw',
    'x-default',
    'X-DEFAULT',
    'pt-BR',
    'sr-Latn-RS',
  ])('%s', (tag) => expect(isLanguageTag(tag)).toBe(true));
});

describe('refused language tags', () => {
  test.each([
    ['a language that ISO 639-1 does not have', 'xx'],
    ['a region that ISO 3166-1 does not have', 'en-UK'],
    ['a script that ISO 15924 does not have', 'zh-Abcd'],
    ['a region alone', '-GB'],
    ['a language of three letters', 'deu'],
    ['a region by number', 'es-419'],
    ['region before script', 'zh-TW-Hant'],
    ['an underscore', 'en_GB'],
    ['x- with something else', 'x-other'],
    ['a member of Object.prototype', 'constructor'],
    ['white space', 'en '],
    ['nothing', ''],
  ])('%s', (_, tag) => {
    expect(isLanguageTag(tag)).toBe(false);
  });
});

test('the Kelvin sign is not K, although its lower case is k', () => {
  expect(isLanguageTag('kk')).toBe(true);
  expect(isLanguageTag('\u212Ak')).toBe(false);
});

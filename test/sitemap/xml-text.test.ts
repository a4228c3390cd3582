import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeText, isXmlText } from '../../src/core/sitemap/xml-text.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { readXml } from './read-xml.ts';

const special = fc.constantFrom(
  '&',
  '<',
  '>',
  '"',
  "'",
  '\t',
  '\n',
  '\r',
  '\r\n',
  ']]>',
  '&amp;',
  '\u0085',
  '\u2028',
);
const forbidden = fc.constantFrom('\0', '\b', '\v', '\f', '\x1f', '\ufffe', '\uffff', '\ud800', '\udfff');
const anyText = fc.array(fc.oneof(special, forbidden, fc.string({ unit: 'binary' }), fc.string()), {
  maxLength: 5,
});

function readsBackEqual(text: string): boolean {
  try {
    const bytes = new TextEncoder().encode(`<a>${escapeText(text)}</a>`);
    return readXml(new TextDecoder().decode(bytes)).text === text;
  } catch {
    return false;
  }
}

test('a text is accepted exactly if a strict parser reads it back equal from UTF-8', () => {
  fc.assert(
    fc.property(anyText, (parts) => {
      const text = parts.join('');
      expect(isXmlText(text)).toBe(readsBackEqual(text));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('every UTF-16 unit alone is accepted exactly if a strict parser reads it back equal from UTF-8', () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    const text = String.fromCharCode(unit);
    if (isXmlText(text) !== readsBackEqual(text)) expect.fail(`U+${unit.toString(16)}`);
  }
});

describe('escaping', () => {
  test('happens exactly once and never decodes', () => {
    expect(escapeText(`a & b < c > d " e ' &amp;`)).toBe('a &amp; b &lt; c &gt; d &quot; e &apos; &amp;amp;');
  });

  test('leaves a text without special characters unchanged', () => {
    expect(escapeText('Grüße 😀')).toBe('Grüße 😀');
  });
});

/** A text cannot leave its place in a template. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paragraphs, sentence } from '../../../src/edges/api/reference/html.ts';
import { html } from '../../../src/platform/html.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

test('a text is escaped, HTML is not', () => {
  const inner = html`<b>${'<i>&"\''}</b>`;
  expect(html`<p title="${'"'}">${inner}${[1, 'a']}${false}${undefined}</p>`.text).toBe(
    '<p title="&#34;"><b>&#60;i&#62;&#38;&#34;&#39;</b>1a</p>',
  );
});

test('no text has a tag, an entity or the end of an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const { text: written } of [html`${text}`, sentence(text), paragraphs(text)]) {
        const rest = written.replaceAll(/<\/?(p|code)>|&#\d+;/g, '');
        expect(rest).not.toMatch(/[<>&"']/);
      }
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('code stands between backticks, paragraphs between empty lines', () => {
  expect(paragraphs('A `<b>`.\n\nB').text).toBe('<p>A <code>&#60;b&#62;</code>.</p><p>B</p>');
});

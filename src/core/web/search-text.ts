/** Parses the `search` parameter of lists. */
import { invalidField } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';

/** The longest search text: no URL of a sitemap is longer. */
const MAX_LENGTH = 2048;

/** Parses the text. An empty text finds all rows. Throws Refusal VALIDATION_ERROR, also if the text is given twice. */
export function parseSearch(given: unknown): string {
  if (given === undefined) return '';
  const isText = typeof given === 'string' && given.length <= MAX_LENGTH && isStorable(given);
  if (isText) return given.trim();
  throw invalidField('search', given, 'must be one text of at most 2,048 characters, without NUL');
}

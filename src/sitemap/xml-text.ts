/** Which characters XML can carry, and how they are written so that every parser reads back what was given. */

// The complement of XML 1.0's production [2] Char. With the `u` flag a lone surrogate is a code point of its
// own and so matches too, while a pair is one allowed character.
const NOT_XML_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Whether the text holds only characters that an XML 1.0 document may hold, as well-formed Unicode. */
export function isXmlText(text: string): boolean {
  return !NOT_XML_CHARACTER.test(text);
}

const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

// A parser turns a literal CR into LF (XML 1.0, 2.11), so CR is a reference in text as well.
const SPECIAL_IN_TEXT = /[&<>"'\r]/;
const EVERY_SPECIAL_IN_TEXT = /[&<>"'\r]/g;
// In an attribute a literal TAB or LF becomes a blank (XML 1.0, 3.3.3).
const EVERY_SPECIAL_IN_ATTRIBUTE = /[&<>"'\t\n\r]/g;

/** Escapes character data once. The input is never decoded: `&amp;` becomes `&amp;amp;`. */
export function escapeText(text: string): string {
  // Most texts need nothing, and a test costs a fraction of a replace.
  return SPECIAL_IN_TEXT.test(text) ? text.replace(EVERY_SPECIAL_IN_TEXT, reference) : text;
}

/** Escapes the value of an attribute, for either kind of quotes. */
export function escapeAttribute(text: string): string {
  return text.replace(EVERY_SPECIAL_IN_ATTRIBUTE, reference);
}

function reference(character: string): string {
  return REFERENCES[character] as string;
}

/** Which characters XML can carry, and how to escape them so that every parser reads back the text as given. */

// The complement of XML 1.0's production [2] Char. With the `u` flag a surrogate pair is one allowed character, and a
// lone surrogate is a code point of its own, so it matches.
const NOT_XML_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Whether the text is well-formed Unicode with only characters that XML 1.0 allows. */
export function isXmlText(text: string): boolean {
  return !NOT_XML_CHARACTER.test(text);
}

const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};

// A parser turns a literal CR into LF (XML 1.0, 2.11), so CR becomes a reference in text too.
const SPECIAL_IN_TEXT = /[&<>"'\r]/;
const EVERY_SPECIAL_IN_TEXT = /[&<>"'\r]/g;

/** Escapes character data once. The input is never decoded: `&amp;` becomes `&amp;amp;`. */
export function escapeText(text: string): string {
  // Most texts need no escaping, and a test costs a fraction of a replace.
  return SPECIAL_IN_TEXT.test(text)
    ? text.replace(EVERY_SPECIAL_IN_TEXT, (found) => REFERENCES[found]!)
    : text;
}

const TEXTS = new Map(Object.entries(REFERENCES).map(([character, text]) => [text, character]));
const EVERY_REFERENCE = /&(?:amp|lt|gt|quot|apos|#13);/g;

/** The reverse of `escapeText`. */
export function unescapeText(xml: string): string {
  return xml.includes('&') ? xml.replace(EVERY_REFERENCE, (found) => TEXTS.get(found)!) : xml;
}

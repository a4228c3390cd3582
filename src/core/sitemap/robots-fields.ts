/** Reads the lines of a robots.txt (RFC 9309, section 2.2), each a field with its value. Comments are left out. */

/**
 * Yields each field, its name in lower case, with its value. A file may have half a million lines, so this function does not hold all of
 * them at once.
 */
export function* fieldsOf(text: string): Generator<readonly [field: string, value: string]> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const comment = line.indexOf('#');
    const content = comment === -1 ? line : line.slice(0, comment);
    const colon = content.indexOf(':');
    if (colon !== -1) yield [content.slice(0, colon).trim().toLowerCase(), content.slice(colon + 1).trim()];
  }
}

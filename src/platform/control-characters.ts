/** Finds characters that change how the text around them is shown: a name with them can look like another name. */

/** Control characters, separators of lines, and marks and overrides of direction (UAX 9, section 2). */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** Texts of servers, for terminals: a terminal obeys ESC and other controls, and bidi marks reorder what people read. */

/** Controls as escapes of JSON. In JSON these stand only in strings, so it stays the same value. */
export function withoutControls(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (control) => {
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Makes texts of servers safe for terminals: a terminal obeys ESC and other controls, and bidi marks reorder text. */

/** Replaces controls by escapes of JSON. JSON has controls only in strings, so its value stays the same. */
export function withoutControls(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (control) => {
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

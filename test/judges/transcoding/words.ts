/** The words of a text. An array of that many would take a line for each. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

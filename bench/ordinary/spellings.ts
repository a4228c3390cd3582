/** Writes JSON like the libraries of other languages, where they differ from JSON.stringify. */

/** Python's `json.dumps` with compact separators: characters outside ASCII are escapes of UTF-16 units. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\0-~]/g, (unit) => `\\u${hexOf(unit)}`);
}

/** PHP's `json_encode`: slashes are escaped too. */
export function phpJson(value: unknown): string {
  return asciiJson(value).replaceAll('/', '\\/');
}

/** .NET's `System.Text.Json`: escapes also all characters that are special in HTML, with upper-case digits. */
export function dotNetJson(value: unknown): string {
  // Escape only in strings, because a number may have a `+`.
  return JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, (text) => {
    return `"${text.slice(1, -1).replace(/\\"|\\.|[^\0-~]|[&'<>+`]/g, dotNetEscape)}"`;
  });
}

function dotNetEscape(characters: string): string {
  if (characters === '\\"') return '\\u0022';
  return characters.startsWith('\\') ? characters : `\\u${hexOf(characters).toUpperCase()}`;
}

/** An element of `urls` in a document by `JSON.stringify(document, null, 2)`. */
export function prettyJson(value: unknown): string {
  return `\n${JSON.stringify(value, null, 2)}`.replaceAll('\n', '\n    ');
}

function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0');
}

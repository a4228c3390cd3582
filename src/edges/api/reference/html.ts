/** HTML that is safe by construction: a text inside a template is escaped, unless it is HTML itself. */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

/** Makes HTML of a template. False and undefined become empty texts. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, next, n) => text + written(parts[n - 1]) + next));
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(written).join('');
  return part === false || part === undefined ? '' : escapeHtml(String(part));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Makes paragraphs of a text with empty lines between them, and code between backticks. */
export function paragraphs(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${sentence(paragraph)}</p>`)}`;
}

/** Makes HTML of a text with code between backticks. */
export function sentence(text: string): Html {
  return html`${text.split('`').map((part, n) => (n % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

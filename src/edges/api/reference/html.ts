/** HTML of texts with paragraphs, and code between backticks. */
import { type Html, html } from '../../../platform/html.ts';

/** Makes paragraphs of a text with empty lines between them, and code between backticks. */
export function paragraphs(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${sentence(paragraph)}</p>`)}`;
}

/** Makes HTML of a text with code between backticks. */
export function sentence(text: string): Html {
  return html`${text.split('`').map((part, n) => (n % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

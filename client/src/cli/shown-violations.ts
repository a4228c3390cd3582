/** Shows violations as lines for people. Violations of a kind share a line, with their number and the first values. */
import type { Violation } from '../answers.ts';

const SHOWN_KINDS = 20;
const SHOWN_EXAMPLES = 3;
/** The most characters of a shown value. */
const MAX_LENGTH = 100;

/** `file`: the name of the file, if there are several. */
type Shown = Violation & { readonly file?: string };

/** `count`: the number of all violations. `violations` may have only the first ones. */
export function* shownViolations(violations: readonly Shown[], count: number): Generator<string> {
  const kinds = new Map<string, Shown[]>();
  for (const violation of violations) {
    const kind = `${kindOf(violation.field)}: ${violation.message}`;
    const alike = kinds.get(kind) ?? [];
    alike.push(violation);
    kinds.set(kind, alike);
  }
  for (const [kind, alike] of [...kinds].slice(0, SHOWN_KINDS)) {
    const examples = alike.slice(0, SHOWN_EXAMPLES).map(shownExample).join('; ');
    const more = alike.length > SHOWN_EXAMPLES ? '; …' : '';
    yield `${alike.length.toLocaleString('en-US')} × ${kind} (${examples}${more})`;
  }
  const shown = [...kinds.values()].slice(0, SHOWN_KINDS).flat().length;
  if (count > shown) yield `and ${(count - shown).toLocaleString('en-US')} more`;
}

/** Makes `images[].loc` of `urls[7].images[0].loc`. The examples name the entries. */
function kindOf(field: string): string {
  return field.replace(/^urls\[\d+\]\.?/, '').replace(/\[\d+\]/g, '[]') || 'the entry';
}

function shownExample({ file, line, field, value }: Shown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  const place = line === undefined ? field : `line ${line}`;
  return `${file === undefined ? '' : `${file}, `}${place}: ${shown}`;
}

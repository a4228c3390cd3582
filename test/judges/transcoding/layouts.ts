/** White space between the tokens of a JSON text. */

/** A string or another token. The text has no white space between them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[^",:{}[\]]+|[,:{}[\]]/g;

/** The same JSON with these gaps before, between and behind its tokens. Gaps count from 0. */
export function withGaps(text: string, gapAt: (gap: number) => string): string {
  const tokens = text.match(TOKEN) ?? [];
  return tokens.map((token, gap) => gapAt(gap) + token).join('') + gapAt(tokens.length);
}

/** The same JSON with `gap` in one place, for every place. */
export function withEachGap(text: string, gap: string): string[] {
  const count = (text.match(TOKEN) ?? []).length + 1;
  return Array.from({ length: count }, (_, at) => withGaps(text, (i) => (i === at ? gap : '')));
}

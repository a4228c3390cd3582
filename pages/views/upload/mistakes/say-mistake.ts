/** Messages of the service in the words of people who never saw its API. A message without words here stands as it is. */
import type { Violation } from '../../../../client/src/answers.ts';
import { fieldWithin, rowOf } from './found-mistakes.ts';

export interface SaidMistake {
  /** A sentence, without its full stop. `{}` stands for the field. */
  readonly title: string;
  /** The rule for the value. */
  readonly rule?: string;
}

const DATE_RULE = 'It has to be like 2026-11-02 or 2026-11-02T10:15:00Z, or as you chose for dates, or empty';

const MISTAKES: readonly (readonly [RegExp, SaidMistake | ((found: RegExpExecArray) => SaidMistake)])[] = [
  [
    /^begins with the day or the month/,
    { title: "The date can't be read", rule: 'It may begin with the day or with the month' },
  ],
  [/if its cells are quoted by '/, { title: `Export it with " around cells, not with '` }],
  [/^must be a (?:whole )?number from [^:]+/, ([rule]) => ({ title: `{} ${rule}, or empty` })],
  [/^must be a date like/, { title: "The date can't be read", rule: DATE_RULE }],
  [/^has no time zone/, { title: 'The time has no time zone', rule: 'Choose the time zone' }],
  [
    /^(?:is a number: add dates|must be from .+ 9999)/,
    { title: 'The date is a number', rule: 'Choose how its numbers count' },
  ],
  [/^is (?:a zero date|infinite)/, { title: 'This is no date', rule: 'Leave the cell empty instead' }],
  [
    /^has the name of a time zone/,
    { title: 'The name of the time zone has several meanings', rule: 'Write an offset like +02:00, or UTC' },
  ],
  [/^does not exist in/, { title: "The time doesn't exist: its clock was put forward" }],
  [
    /^must be an absolute URL/,
    { title: 'The URL has no https://', rule: 'It has to be like https://www.example.com/page' },
  ],
  [/^is required and must be an absolute/, { title: 'The URL is missing', rule: 'Each row needs one' }],
  [
    /^must be at most ([\d,]+) characters long/,
    ([, most]) => ({ title: `{} is longer than ${Number(most).toLocaleString('en')} characters` }),
  ],
  [
    /^must have (\d+) cells?, like the header; it has (\d+)/,
    ([, wanted, found]) => ({
      title:
        found === '1'
          ? "The row isn't separated like the header"
          : `The row has ${found} cells instead of ${wanted}`,
    }),
  ],
  [
    /^must be in quotes, with every inner quote/,
    { title: 'A quote stands in a cell without quotes around it' },
  ],
  [/^must end (?:at its closing quote|with a quote)/, { title: "A quote isn't closed" }],
  [
    /it is not UTF-8/,
    { title: "The file isn't UTF-8", rule: 'Old spreadsheets write Windows-1252. New ones save CSV UTF-8' },
  ],
  [
    /it looks like UTF-16/,
    { title: 'The file looks like UTF-16', rule: 'Read it as UTF-16, or save it as UTF-8' },
  ],
  [/DOCTYPE/, { title: 'Remove the DOCTYPE line' }],
  [/index of sitemaps|sitemap index/i, { title: 'This is a sitemap index. Upload the sitemaps it lists' }],
  [
    /must hold at least one URL|body is not valid: it is empty|leaves no entry/,
    { title: 'The file has no URLs' },
  ],
  [
    /^(.+?): is not known here; expected one of domain/,
    ([, name]) => ({ title: `The file has “${name}”, which Waypost doesn't know` }),
  ],
  [
    /^(.+?): is not known here/,
    ([, name]) => ({
      title: `Waypost doesn't know the column “${name}”`,
      rule: 'Choose how to use it. Columns that you leave out are not read',
    }),
  ],
  [/has several URLs: put each/, { title: 'A line has several URLs' }],
  [/looks like a row of a table/, { title: 'This looks like a table. Choose “Table” as the file type' }],
  [/belongs to a table for people/, { title: 'This is a table for people. Export it for programs, as CSV' }],
  [/end in CR alone/, { title: 'Its lines end as on an old Mac. Save it as CSV UTF-8' }],
  [/^sources: lead to no entries/, { title: 'The sources have no URLs' }],
  [/all entries are invalid/, { title: 'Every row has a mistake' }],
];

const NAMES: Readonly<Record<string, string>> = {
  loc: 'URL',
  lastmod: 'Last modified',
  line: 'The row',
  entry: 'The entry',
  domain: 'The domain',
  sitemapName: 'The name of the sitemap',
  expectedUrlCount: 'The expected number of URLs',
  urls: 'The list',
  sources: 'The source',
};

/** Says a mistake with its row, as in `Row 6: The URL has no https://`. */
export const sayViolation = (violation: Violation) =>
  `Row ${rowOf(violation)}: ${sayMistake(violation.message, violation.field).title}`;

/** Says a mistake in words. `field`: of a violation, or of a kind of violations. */
export function sayMistake(message: string, field?: string): SaidMistake {
  const within = field && fieldWithin(field);
  const name = within === undefined ? 'The text' : (NAMES[within] ?? within);
  for (const [pattern, said] of MISTAKES) {
    const found = pattern.exec(message);
    if (found === null) continue;
    const { title, ...rule } = typeof said === 'function' ? said(found) : said;
    return { title: title.replace('{}', name), ...rule };
  }
  if (field !== undefined && !message.startsWith(`${field}: `)) return { title: `${name} ${message}` };
  return {
    title: message
      .replace(/^(\w+): /, nameFirst)
      .replace(/^The request body/, 'The file')
      .replace(/\.$/, ''),
  };
}

const nameFirst = (found: string, field: string) => (NAMES[field] === undefined ? found : `${NAMES[field]} `);

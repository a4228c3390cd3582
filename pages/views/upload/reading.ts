/**
 * Decides how a file is read: the choices of the person and the suggestions of the service become parameters of the upload. The file itself
 * is never changed.
 */
import type { Preview } from '../../../client/src/answers.ts';
import type { UploadForm } from './file-form.ts';
import { saidParameter } from './said-parameter.ts';

/** The choices of a person. A member is undefined if the person has left the matter to the service. */
export interface Choices {
  readonly delimiter?: string | undefined;
  readonly charset?: string | undefined;
  readonly dates?: string | undefined;
  readonly timezone?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** The parameter `columns`, for a file whose columns the page cannot read. */
  readonly columns?: string | undefined;
  /** The conditions that rows must meet. */
  readonly where?: readonly string[] | undefined;
  /** The member of each column, by position. Empty: the column is ignored. */
  readonly members?: readonly string[] | undefined;
}

export interface Parameters
  extends Readonly<Partial<Record<keyof Preview['suggestions'] | 'baseUrl' | 'skipLines', string>>> {
  readonly where?: readonly string[];
}
export type Table = NonNullable<Preview['table']>;
/** The questions that a person must answer before the file can be read. */
type Question = 'loc' | 'dates' | 'baseUrl';

export interface Beginning {
  readonly preview: Preview;
  /** The table of the first preview that has one. */
  readonly table: Table | undefined;
  /** The member of each column. */
  readonly members: readonly string[];
  /** The parameters of the upload. */
  readonly parameters: Parameters;
  /** The choices of the person, with those that were kept from an earlier file. */
  readonly choices: Choices;
  readonly questions: readonly Question[];
}

/**
 * The most requests. The service may suggest a zone, a spelling of dates, columns, and one more parameter after each. Conditions may leave
 * no row.
 */
const MAX_ROUNDS = 7;

/**
 * Asks the service until it suggests nothing more. Throws the errors of `ask`. `zone`: replaces UTC in the suggestions, because the service
 * suggests UTC for any zone. `recall`: returns the kept choices for a header.
 */
export async function readBeginning(
  ask: (parameters: Parameters) => Promise<Preview>,
  form: UploadForm,
  chosen: Choices,
  zone: string,
  recall: (table: Table) => Choices,
): Promise<Beginning> {
  let choices = chosen;
  let suggestions: Parameters = {};
  let table: Table | undefined;
  let parameters: Parameters = explicit(choices);
  for (let round = 1; ; round++) {
    const preview = await ask(parameters);
    if (round === 1 && preview.table !== undefined) choices = { ...recall(preview.table), ...chosen };
    table ??= preview.table;
    suggestions = { ...suggestions, ...inZone(preview.suggestions, zone) };
    choices = withConditions(choices, chosen, preview);
    const members = table === undefined ? [] : (choices.members ?? proposedMembers(table));
    const next = parametersOf(form, choices, suggestions, table, members);
    if (round === MAX_ROUNDS || isSame(next, parameters)) {
      const questions = questionsOf(preview, table, members, parameters);
      return { preview, table, members, parameters, choices, questions };
    }
    parameters = next;
  }
}

/** Returns the choices that are parameters already: all but `members`, without the empty ones. */
export function explicit({ members: _, ...choices }: Choices): Parameters {
  return Object.fromEntries(Object.entries(choices).filter(([, value]) => value?.length)) as Parameters;
}

/** Returns the parameters as pairs of a query. Each value of a list has a pair. */
export function pairsOf(parameters: Parameters): [name: string, value: string][] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
}

/**
 * Adds the conditions that the service proposes, unless there are choices for them. The export of a crawler also lists images, and pages
 * that are gone. If conditions that the person has not chosen leave no row, drops the last one.
 */
function withConditions(choices: Choices, chosen: Choices, preview: Preview): Choices {
  const { where } = choices;
  if (where === undefined) {
    const found = conditionsIn(preview);
    return found.length === 0 ? choices : { ...choices, where: found };
  }
  const isEmpty = where.length > 0 && chosen.where === undefined && preview.rows.length === 0;
  return isEmpty && preview.refusal === undefined ? { ...choices, where: where.slice(0, -1) } : choices;
}

/** Returns the conditions that the warnings of the service propose. Those of the request are not among them. */
export function conditionsIn({ warnings }: Pick<Preview, 'warnings'>): readonly string[] {
  return warnings.flatMap((text) => saidParameter(text, 'where') ?? []);
}

function inZone({ columns: _, timezone, ...others }: Preview['suggestions'], zone: string): Parameters {
  return { ...others, ...(timezone !== undefined && { timezone: zone }) } as Parameters;
}

/** Returns the member of each column. If several columns may be the URL, none is. */
function proposedMembers({ columns }: Table): readonly string[] {
  const locs = columns.filter(({ member }) => member === 'loc').length;
  return columns.map(({ member = '' }) => (member === 'loc' && locs > 1 ? '' : member));
}

function parametersOf(
  form: UploadForm,
  choices: Choices,
  suggestions: Parameters,
  table: Table | undefined,
  members: readonly string[],
): Parameters {
  const { header: _, delimiter: __, ...found } = suggestions;
  const columns = table === undefined ? undefined : columnsOf(table, members, suggestions.header === 'false');
  const delimiter =
    choices.delimiter || (columns !== undefined && form === 'csv' ? table?.delimiter : undefined);
  return { ...found, ...columns, ...(delimiter && { delimiter }), ...explicit(choices) };
}

/** Returns the parameters for the columns. Undefined if no column is the URL, or if all columns have the names of their members. */
function columnsOf(
  { columns }: Table,
  members: readonly string[],
  isHeadless: boolean,
): Parameters | undefined {
  if (!members.includes('loc')) return undefined;
  const byPosition = members.map((member) => member || '-').join(',');
  if (isHeadless) return { header: 'false', columns: byPosition };
  const plain = columns.map(({ name }) => name.trim().toLowerCase());
  if (plain.every((name, i) => name === members[i])) return undefined;
  const chosen = members.flatMap((member, i) => (member === '' ? [] : [i]));
  const isTwice = chosen.some((i) => plain.filter((name) => name === plain[i]).length > 1);
  // If a chosen name stands in the header twice, only positions tell the columns apart.
  if (isTwice) return { header: 'false', skipLines: '1', columns: byPosition };
  return { columns: chosen.map((i) => cell(`${members[i]}:${columns[i]!.name}`)).join(',') };
}

/** Writes a cell of a CSV record. */
const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function isSame(some: Parameters, others: Parameters): boolean {
  return JSON.stringify(pairsOf(some).toSorted()) === JSON.stringify(pairsOf(others).toSorted());
}

function questionsOf(
  { rows }: Preview,
  table: Table | undefined,
  members: readonly string[],
  parameters: Parameters,
): Question[] {
  if (table !== undefined && !members.includes('loc')) return ['loc'];
  const isOf = (pattern: RegExp) =>
    rows.some(({ violations }) => violations.some(({ message }) => pattern.test(message)));
  const questions: Question[] = [];
  if (!parameters.dates && isOf(/add dates=dmy/)) questions.push('dates');
  if (!parameters.baseUrl && rows.length > 0 && rows.every(({ violations }) => violations.some(isPath))) {
    questions.push('baseUrl');
  }
  return questions;
}

const isPath = ({ message, value }: { readonly message: string; readonly value: unknown }) =>
  message.startsWith('must be an absolute URL') && !String(value).includes('://');

/** Returns the name of the delimiter of a table. Undefined for other files. */
export function delimiterOf({
  preview,
  table,
  parameters,
}: Pick<Beginning, 'preview' | 'table' | 'parameters'>) {
  return parameters.delimiter ?? preview.dialect?.delimiter ?? table?.delimiter;
}

/**
 * Returns the position of the only column with dates, if no column is used as `lastmod`. Undefined if there is no such column, or several.
 */
export function unusedDates({ columns }: Table, members: readonly string[]): number | undefined {
  if (members.includes('lastmod')) return undefined;
  const found = columns.flatMap(({ values }, at) => (values.length > 0 && values.every(isDate) ? [at] : []));
  return found.length === 1 ? found[0] : undefined;
}

const isDate = (value: string) => /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ,]|$)/.test(value);

/** Gives a member to the column at the position `at`, and takes it from any other column. Without a member, the column is ignored. */
export function withMember(members: readonly string[], at: number, member: string): readonly string[] {
  return members.map((each, i) => (i === at ? member : each === member ? '' : each));
}

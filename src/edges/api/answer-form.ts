/** The forms of an answer: JSON, lines of JSON and CSV. The query or `Accept` chooses one. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type Cell, CSV_TYPE, csvPieces } from '../../platform/csv.ts';
import { invalidField } from '../../platform/refusal.ts';
import type { Lines } from './operation.ts';
import { LINES_TYPE } from './send-lines.ts';
import { described, JSON_TYPE } from './shapes.ts';

const TYPES = { json: JSON_TYPE, ndjson: LINES_TYPE, csv: CSV_TYPE.split(';', 1)[0]! };
export type AnswerForm = keyof typeof TYPES;

export const formQuery = (forms: readonly AnswerForm[]) =>
  described(z.enum(forms), 'The form of the answer, as `Accept` would say it. It wins over `Accept`.');

/**
 * Returns the form that `?form=` names. Without `?form=`, returns the form that `Accept` names. If the client accepts none of `forms`, it
 * gets the first of them. Throws Refusal.
 */
export function formOf<Form extends AnswerForm>(
  request: Request,
  response: Response,
  forms: readonly Form[],
): Form {
  response.vary('Accept');
  const { form } = request.query;
  if (form !== undefined) {
    const given = forms.find((one) => one === form);
    if (given === undefined) throw invalidField('form', form, `must be one of ${forms.join(', ')}`);
    return given;
  }
  const accepted = request.accepts(forms.map((one) => TYPES[one]));
  return forms.find((one) => TYPES[one] === accepted) ?? forms[0]!;
}

/** A list as CSV, read page by page. `name`: the name of the file that a browser saves. If the first page fails, nothing is sent. */
export function csvOf<Row>(
  name: string,
  columns: readonly string[],
  pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  cellsOf: (row: Row) => readonly Cell[],
): Lines {
  async function* pieces() {
    for await (const piece of csvPieces(columns, pages, cellsOf)) yield Buffer.from(piece);
  }
  return asCsv(name, pieces());
}

/** `pieces`: the whole CSV. `name`: the name of the file that a browser saves. */
export function asCsv(name: string, pieces: AsyncGenerator<Buffer, void, undefined>): Lines {
  return Object.assign(pieces, { csvName: name });
}

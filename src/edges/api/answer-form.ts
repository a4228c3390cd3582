/** The forms of an answer: JSON, lines of JSON and CSV. The query or `Accept` chooses one. */
import type { Request, Response } from 'express';
import { z } from 'zod';
import { CSV_TYPE } from '../../platform/csv.ts';
import { invalidField } from '../../platform/refusal.ts';
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

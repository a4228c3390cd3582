/** Reads the records of a body in a form other than JSON, and cuts them into batches. Threads read what is in them. */
import { Refusal } from '../../platform/refusal.ts';
import type { Batch } from '../fragment.ts';
import type { UploadForm } from './form.ts';

/** `body`: in UTF-8, cut anywhere. Throws Refusal. */
export function readRecords(
  form: Exclude<UploadForm, 'json'>,
  _body: AsyncIterable<Uint8Array>,
): AsyncIterable<Batch> {
  throw new Refusal('BAD_REQUEST', `The form ${form} is not read yet.`);
}

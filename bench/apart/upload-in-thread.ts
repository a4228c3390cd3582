/**
 * Thread entry: makes one large upload on its own event loop, so that sending it does not delay the measurements. Posts 'started' when the
 * upload begins. The thread ends with the upload.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { uploadSeconds } from '../bench-waypost.ts';
import { type BodyForm, plainEntries, uploadBody } from '../upload-body.ts';

export interface ThreadUpload {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly urls: number;
  readonly form: BodyForm;
}

const { apiUrl, apiKey, urls, form } = workerData as ThreadUpload;
const entries = plainEntries(urls);
parentPort!.postMessage('started');
await uploadSeconds({ apiUrl, apiKey }, uploadBody(entries, form), urls * (form.repeat ?? 1));

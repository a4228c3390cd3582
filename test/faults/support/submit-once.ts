/** A process that compares one upload and submits what has changed. It dies whenever its parent likes. */
import { openSubmitting, type SubmissionTask } from './submitting.ts';

process.once('message', async ({ upload, ...settings }: SubmissionTask) => {
  await using submitting = openSubmitting(settings);
  await submitting.compare(upload);
  await submitting.workOff();
  process.disconnect();
});
process.send?.('ready');

/** A process that compares one upload and submits what has changed. It dies whenever its parent likes. */
import { type ComparedUpload, openSubmitting, type SubmittingSettings } from './submitting.ts';

process.once('message', async ({ upload, ...settings }: SubmittingSettings & { upload: ComparedUpload }) => {
  await using submitting = openSubmitting(settings);
  await submitting.compare(upload);
  await submitting.workOff();
  process.disconnect();
});
process.send?.('ready');

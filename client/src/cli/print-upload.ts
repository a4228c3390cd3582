/** Prints a summary of an upload: published, unchanged or a dry run. */
import type { Upload } from '../answers.ts';
import type { Output } from './output.ts';

export function printUpload(out: Output, upload: Upload): void {
  out.printJson(upload);
  const { dryRun, rejected = 0, uploadId } = upload;
  out.print(outcomeOf(upload));
  if (!dryRun) out.print(upload.sitemapUrl);
  if (rejected > 0) {
    out.print(`Rejected ${counted(rejected, 'record')}: waypost uploads rejects ${uploadId}`);
  }
  if (upload.servedNote !== undefined) out.say(upload.servedNote);
  for (const warning of upload.warnings ?? []) out.say(warning);
}

function outcomeOf({
  urlCount,
  filesGenerated,
  filesChanged,
  generation,
  dryRun,
  unchanged,
}: Upload): string {
  const what = `${counted(urlCount, 'URL')} in ${counted(filesGenerated, 'file')}`;
  const number = generation === undefined ? '' : `, generation ${generation}`;
  if (dryRun)
    return `Dry run: ${what} would ${unchanged ? 'change nothing' : 'be published'}. Nothing was changed.`;
  if (unchanged) return `${unchangedAt(urlCount)}${number}.`;
  // A server of an older version does not say how many files changed.
  const changed = filesChanged < filesGenerated ? `, ${filesChanged} of them changed` : '';
  return `Published ${what}${changed}${number}.`;
}

/** Begins the sentence that an upload has changed nothing. */
export function unchangedAt(urlCount: number): string {
  const urls = urlCount === 1 ? 'this URL' : `these ${counted(urlCount, 'URL')}`;
  return `Unchanged: the sitemap has ${urls} already`;
}

/** Says a count, as in `1 file`, `2,000 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

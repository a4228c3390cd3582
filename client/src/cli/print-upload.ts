/** Says what was published. */
import type { Upload } from '../answers.ts';
import type { Output } from './output.ts';

export function printUpload(out: Output, upload: Upload): void {
  out.printJson(upload);
  const { urlCount, filesGenerated, generation, dryRun, rejected = 0, uploadId } = upload;
  const what = `${counted(urlCount, 'URL')} in ${counted(filesGenerated, 'file')}`;
  if (dryRun) out.print(`Dry run: ${what} would be published. Nothing was changed.`);
  else out.print(`Published ${what}${generation === undefined ? '' : `, generation ${generation}`}.`);
  if (!dryRun) out.print(upload.sitemapUrl);
  if (rejected > 0) {
    out.print(`Rejected ${counted(rejected, 'record')}: waypost uploads rejects ${uploadId}`);
  }
  if (upload.servedNote !== undefined) out.say(upload.servedNote);
  for (const warning of upload.warnings ?? []) out.say(warning);
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `waypost uploads`: lists and shows attempts, prints their rejected entries and changes, and publishes uploads that the guard holds. */
import type { Command } from 'commander';
import type { UploadAttempt } from '../answers.ts';
import { allOf } from './all-of.ts';
import { type Output, shownBytes } from './output.ts';
import { parseCount } from './parse-option.ts';
import { printUpload } from './print-upload.ts';
import { withoutControls } from './safe-text.ts';
import { openSession } from './session.ts';
import { shownViolations } from './shown-violations.ts';

const DEFAULT_LIMIT = 20;

export function addUploadsCommands(program: Command): void {
  const uploads = program
    .command('uploads')
    .description('list and show uploads, also those that failed or are held');
  uploads
    .command('list', { isDefault: true })
    .description('list the uploads of a domain, newest first; running ones with their progress (the default)')
    .argument('<domain>')
    .option('--limit <n>', 'the newest ones', parseCount, DEFAULT_LIMIT)
    .addHelpText('after', '\nExample:\n  $ waypost uploads sitemaps.example.com')
    .action(async (domain: string, { limit }: { limit: number }, command: Command) => {
      const { waypost, out } = await openSession(command);
      const head = [
        'UPLOAD',
        'SITEMAP',
        'OUTCOME',
        'STARTED',
        'SECONDS',
        'FORM',
        'RECEIVED',
        'URLS',
        'REJECTED',
      ];
      out.printList(await allOf(waypost.listUploads(domain), limit), head, (one) => [
        one.id,
        one.sitemapName,
        one.outcome,
        one.startedAt,
        Math.round(one.durationMs / 1000),
        one.form,
        shownBytes(one.bytesReceived),
        one.urlCount,
        one.rejected,
      ]);
    });
  uploads
    .command('show')
    .description('show one upload with its first violations')
    .argument('<upload-id>')
    .action(async (id: string, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const attempt = await waypost.getUpload(id);
      out.printJson(attempt);
      printAttempt(out, attempt);
    });
  addPublishCommand(uploads);
  uploads
    .command('rejects')
    .description('print the rejected entries of an upload, a line of JSON each')
    .argument('<upload-id>')
    .action(async (id: string, _options: object, command: Command) => {
      const { waypost } = await openSession(command);
      await printLines(waypost.listRejects(id));
    });
  uploads
    .command('changes')
    .description('print which URLs an upload that the guard holds would change, a line of JSON each')
    .argument('<upload-id>')
    .action(async (id: string, _options: object, command: Command) => {
      const { waypost } = await openSession(command);
      await printLines(waypost.listUploadChanges(id));
    });
}

async function printLines(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const line of lines) {
    const isRoom = process.stdout.write(`${withoutControls(JSON.stringify(line))}\n`);
    if (!isRoom) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}

function addPublishCommand(uploads: Command): void {
  uploads
    .command('publish')
    .description(
      'publish an upload that the guard holds, without sending it again; exit code 4 if it stays held',
    )
    .argument('<upload-id>')
    .option('--force', 'in spite of the guard')
    .option('--if-generation <n>', 'only if this is the live generation; 0: none', parseCount)
    .action(async (id: string, options: { force?: boolean; ifGeneration?: number }, command: Command) => {
      const { waypost, out } = await openSession(command);
      printUpload(out, await waypost.publishUpload(id, options));
    });
}

function printAttempt(out: Output, attempt: UploadAttempt): void {
  const { id, domain, sitemapName, outcome, startedAt, durationMs, form, encoding } = attempt;
  out.print(`${id}: ${outcome}`);
  out.print(`  to ${sitemapName ?? 'a sitemap that was not named yet'} of ${domain}`);
  out.print(
    `  ${startedAt}, ${(durationMs / 1000).toFixed(1)} s, ${form}${encoding === null ? '' : ` in ${encoding}`}`,
  );
  const { urlCount, filesGenerated, bytesReceived, rejected, generation } = attempt;
  out.print(
    `  ${urlCount.toLocaleString('en-US')} URLs, ${filesGenerated} files, ${shownBytes(bytesReceived)} received`,
  );
  if (rejected > 0) out.print(`  ${rejected.toLocaleString('en-US')} entries rejected`);
  if (generation !== null) out.print(`  generation ${generation}`);
  const { code, message } = attempt;
  if (message !== null) out.print(`  ${code === null ? '' : `${code}: `}${message}`);
  for (const line of shownViolations(attempt.errors, attempt.errorCount)) out.print(`  ${line}`);
  if (outcome === 'held') out.say(`To publish it as it is: waypost uploads publish ${id} --force`);
}

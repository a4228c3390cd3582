/** The options of commands that publish a whole sitemap: the conditions for publishing, and how many invalid entries may be left out. */
import { type Command, Option } from 'commander';
import type { UploadOptions } from '../upload/upload-options.ts';
import { badSetting } from '../waypost-error.ts';
import { parseCount, parsePercent } from './parse-option.ts';

export interface GuardOptions {
  readonly name?: string;
  readonly expect?: number;
  readonly skipInvalid?: boolean;
  readonly maxRejected?: number;
  readonly maxRejectedPercent?: number;
  readonly force?: boolean;
  readonly ifGeneration?: number;
  readonly idempotencyKey?: string;
}

/** Adds the options for the files of a sitemap. */
export function addListOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--size-limit <limit>', 'URLs in a file: 50,000, 10,000 or 1,000').choices([
        'standard',
        'balanced',
        'gsc-optimized',
      ]),
    )
    .addOption(
      new Option('--placement <placement>', 'where URLs go; default: as the domain says').choices([
        'stable',
        'order',
      ]),
    );
}

export function addThresholdOptions(command: Command): Command {
  return command
    .option('--skip-invalid', 'leave invalid entries out, as many as the next two allow')
    .option('--max-rejected <n>', 'at most so many (default: 0 without a percentage)', parseCount)
    .option('--max-rejected-percent <percent>', 'at most so many of 100', parsePercent);
}

/** `does`: what the command does only once for an idempotency key. */
export function addConditionOptions(command: Command, does: string): Command {
  return command
    .option('--force', "publish in spite of the domain's guard, and also what is unchanged")
    .option('--if-generation <n>', 'publish only if this is the live generation; 0: none', parseCount)
    .option(
      '--idempotency-key <key>',
      `${does} once, however often this command runs with the key within a day`,
    );
}

/** Throws WaypostError for a limit without --skip-invalid. */
export function checkThresholds({ skipInvalid, maxRejected, maxRejectedPercent }: GuardOptions): void {
  if (!skipInvalid && (maxRejected ?? maxRejectedPercent) !== undefined) {
    throw badSetting('--max-rejected and --max-rejected-percent need --skip-invalid.');
  }
}

/** Returns `name`, `expect` and `skipInvalid` by their names in the library. */
export function guardsOf({ name, expect, skipInvalid }: GuardOptions) {
  return {
    sitemapName: name,
    expectedUrlCount: expect,
    onInvalid: skipInvalid ? 'skip' : undefined,
  } satisfies UploadOptions;
}

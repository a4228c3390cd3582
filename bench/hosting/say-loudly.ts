/** Says what a reader of the figures must not overlook. It goes to standard error, so `--json` has figures only. */
import { printError } from '../../src/platform/process/print.ts';

export function sayLoudly(text: string): void {
  printError(`\n!!! ${text} !!!\n`);
}

/** What a reader of the figures must not overlook. On standard error, which leaves `--json` to its figures. */
import { printError } from '../../src/platform/process/print.ts';

export function sayLoudly(text: string): void {
  printError(`\n!!! ${text} !!!\n`);
}

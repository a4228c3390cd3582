/**
 * Prints a warning that readers of the figures must not overlook. The warning goes to standard error, so that `--json` prints only figures.
 */
import { printError } from '../../src/platform/process/print.ts';

export function sayLoudly(text: string): void {
  printError(`\n!!! ${text} !!!\n`);
}

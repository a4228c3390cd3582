/** Prints a warning that readers of the figures must not overlook. Standard error gets it, so `--json` has only figures. */
import { printError } from '../../src/platform/process/print.ts';

export function sayLoudly(text: string): void {
  printError(`\n!!! ${text} !!!\n`);
}

/**
 * Vitest's setup for fuzzing (test/fuzz.ts). PROPERTY_SEED is the seed of every property of the run. Each property
 * appends a line to the file PROPERTY_LOG when it ends.
 */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from 'vitest';
import { takeEntryCount } from './judged-entries.ts';

/** The result of one property. */
export interface PropertyRun {
  /** The path of the test file from the project's root. */
  readonly file: string;
  readonly test: string;
  readonly cases: number;
  /** The number of entries in these cases. 0 if the property does not count them. */
  readonly entries: number;
  readonly seed: number;
  /** Only for a failed property: the path to its smallest counterexample, the counterexample and the error. */
  readonly path?: string;
  readonly counterexample?: string;
  readonly error?: string;
}

const { PROPERTY_SEED, PROPERTY_LOG } = process.env;

// Only fuzzing needs the import, so ordinary runs do not wait for it.
if (PROPERTY_SEED !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(PROPERTY_SEED) });
  if (PROPERTY_LOG !== undefined) {
    fc.installGlobalPlugin(() => ({
      onAllRunsComplete: (details) => {
        const { testPath = '', currentTestName = '' } = expect.getState();
        const run: PropertyRun = {
          file: relative(process.cwd(), testPath),
          test: currentTestName,
          cases: details.numRuns,
          entries: takeEntryCount(),
          seed: details.seed,
          ...(details.failed && {
            path: details.counterexamplePath ?? '',
            counterexample: fc.stringify(details.counterexample),
            error: String(details.errorInstance),
          }),
        };
        appendFileSync(PROPERTY_LOG, `${JSON.stringify(run)}\n`);
      },
    }));
  }
}

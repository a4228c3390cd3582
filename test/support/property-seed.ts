/**
 * Vitest's setup for fuzzing (test/fuzz.ts): PROPERTY_SEED is where every property of the run begins, and each
 * property that has run appends a line to the file PROPERTY_LOG.
 */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from 'vitest';

/** What one property came to. */
export interface PropertyRun {
  /** Relative to the project. */
  readonly file: string;
  readonly test: string;
  readonly cases: number;
  readonly seed: number;
  /** Only of a property that failed: where its smallest counterexample is, and what that and the error are. */
  readonly path?: string;
  readonly counterexample?: string;
  readonly error?: string;
}

const { PROPERTY_SEED, PROPERTY_LOG } = process.env;

// Most test files have no properties, and ordinary runs need nothing from here: they do not wait for the import.
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

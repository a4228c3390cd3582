/** Vitest reporter: prints one line at the end of the run for tests that are skipped because a need is missing. */
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import { howToGet, type Need } from './needs.ts';

export class SkippedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lacking = modules
      .flatMap((module) => [...module.children.allTests('skipped')])
      .map(missingFor)
      .filter((missing) => missing.length > 0);
    const summary = summarize(lacking);
    if (summary !== undefined) process.stdout.write(`${summary}\n`);
  }
}

/** `lacking`: the missing needs of each skipped test. */
export function summarize(lacking: readonly (readonly Need[])[]): string | undefined {
  if (lacking.length === 0) return undefined;
  const missing = [...new Set(lacking.flat())].map((need) => `${need} (${howToGet(need)})`);
  const tests = lacking.length === 1 ? '1 test was' : `${lacking.length} tests were`;
  return `${tests} skipped. Missing here: ${missing.join('; ')}.`;
}

function missingFor(test: TestCase): readonly Need[] {
  const missing: Need[] = [];
  let task: TestCase | TestSuite | TestModule = test;
  while (task.type !== 'module') {
    missing.push(...(task.meta().missing ?? []));
    task = task.parent;
  }
  return missing;
}

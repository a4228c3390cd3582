/** Vitest reporter: names the tests that passed only in a second run. Fix these tests first. */
import type { Reporter, TestModule } from 'vitest/node';

export class FlakyTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => `${test.module.relativeModuleId} › ${test.fullName}`);
    if (flaky.length > 0)
      process.stdout.write(`FLAKY, passed only in a second run:\n  ${flaky.join('\n  ')}\n`);
  }
}

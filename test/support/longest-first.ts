/**
 * Orders the test files: the tiers with the longest files first, and in each tier the longest file first, so that no worker
 * ends alone with a long file. A clean clone has no former run, so the durations are committed. This command updates them:
 * KEEP_DURATIONS=1 npm run test:all
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';
import { PROJECT } from '../architecture/import-graph.ts';
import { ALL_TIERS, type Tier } from '../tiers.ts';

const FILE = new URL('../durations.json', import.meta.url);
/** Shorter files are not listed. */
const LISTED_MS = 5000;

/** The duration of each file in milliseconds, by its path from the project's root. */
type Durations = Readonly<Record<string, number>>;

export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const durations: Durations = JSON.parse(readFileSync(FILE, 'utf8'));
    const tier = ({ project }: TestSpecification) => ALL_TIERS.indexOf(project.name as Tier);
    const duration = ({ moduleId }: TestSpecification) => durations[relative(PROJECT, moduleId)] ?? 0;
    return specifications.toSorted((a, b) => tier(b) - tier(a) || duration(b) - duration(a));
  }
}

export class KeptDurations implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env.KEEP_DURATIONS === undefined) return;
    const all = modules.map((module): [string, number] => {
      const { duration, collectDuration } = module.diagnostic();
      return [relative(PROJECT, module.moduleId), Math.round(duration + collectDuration)];
    });
    const listed = all.filter(([, duration]) => duration >= LISTED_MS).sort(([, a], [, b]) => b - a);
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(listed), null, 2)}\n`);
  }
}

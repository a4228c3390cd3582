/** A copy of the project in a temporary folder, where the kernel may be broken, compiled and judged. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PROJECT = resolve(import.meta.dirname, '../..');
const COPIED = ['src', 'test', 'package.json', 'tsconfig.json'];
const KERNEL = 'src/sitemap/kernel';
const WASM = `${KERNEL}/kernel.wasm`;
/** Many times as long as the judge takes. Some faults make the kernel loop for ever. */
const MAX_JUDGE_MS = 10 * 60_000;

export class JudgedCopy implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<JudgedCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'waypost-mutations-'));
    for (const name of COPIED) await cp(join(PROJECT, name), join(folder, name), { recursive: true });
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    return new JudgedCopy(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  kernelSource(file: string): Promise<string> {
    return readFile(join(PROJECT, KERNEL, file), 'utf8');
  }

  /** Compiles the kernel with this source of one file, and the project's source of all others. */
  async compile(file?: string, source?: string): Promise<Buffer> {
    await cp(join(PROJECT, KERNEL), join(this.#folder, KERNEL), { recursive: true, force: true });
    if (file !== undefined && source !== undefined) {
      await writeFile(join(this.#folder, KERNEL, file), source);
    }
    const asc = ['node_modules/assemblyscript/bin/asc.js', '--config', `${KERNEL}/asconfig.json`];
    await run(process.execPath, asc, { cwd: this.#folder });
    return readFile(join(this.#folder, WASM));
  }

  /**
   * The full names of the tests that fail. `stopsEarly`: one is enough. `without`: names of tests that do not run.
   */
  async judge(stopsEarly: boolean, without: readonly string[] = []): Promise<string[]> {
    const report = join(this.#folder, 'report.json');
    await rm(report, { force: true });
    const options = [
      'run',
      '--config=test/mutations/vitest.config.ts',
      '--reporter=json',
      `--outputFile=${report}`,
    ];
    if (stopsEarly) options.push('--bail=1');
    if (without.length > 0) options.push(`--testNamePattern=^(?!(?:${without.map(quoted).join('|')})$)`);
    // A group of its own, so that a worker in an endless loop can be ended too.
    const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...options], {
      cwd: this.#folder,
      env: { ...process.env, PROPERTY_SEED: '1' },
      stdio: 'ignore',
      detached: true,
    });
    const ended = Promise.withResolvers<void>();
    vitest.on('close', () => ended.resolve());
    vitest.on('error', ended.reject);
    const timer = setTimeout(() => process.kill(-vitest.pid!, 'SIGKILL'), MAX_JUDGE_MS);
    await ended.promise;
    clearTimeout(timer);
    return existsSync(report) ? failedTests(report) : ['no test: the judge does not end'];
  }
}

interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function failedTests(report: string): string[] {
  const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  // A file that cannot even be imported has no tests.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return [...failed, ...broken.map(({ message }) => message)];
}

function quoted(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

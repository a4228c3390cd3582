/** A copy of the project in a temporary folder, where the WebAssembly may be broken, compiled and judged. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildKernel, KERNELS } from '../../tools/build-kernels.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const COPIED = ['kernels', 'src', 'test', 'tools', 'bench', 'package.json', 'tsconfig.json'];
/** The judges see these. */
const JUDGED = [
  'src/core/sitemap/kernel.wasm',
  'src/platform/json/kernel.wasm',
  'src/platform/lines/kernel.wasm',
];
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

  /** `file`: in kernels/. */
  source(file: string): Promise<string> {
    return readFile(join(PROJECT, 'kernels', file), 'utf8');
  }

  /** Compiles with this source of one file, and the project's source of all others. Throws if it cannot. */
  async compile(file?: string, source?: string): Promise<Buffer> {
    const kernels = join(this.#folder, 'kernels');
    await cp(join(PROJECT, 'kernels'), kernels, { recursive: true, force: true });
    if (file !== undefined && source !== undefined) await writeFile(join(kernels, file), source);
    const compiled: Buffer[] = [];
    for (const kernel of KERNELS.filter(({ wasm }) => JUDGED.includes(wasm))) {
      await buildKernel(kernel, kernel.wasm, this.#folder);
      compiled.push(await readFile(join(this.#folder, kernel.wasm)));
    }
    return Buffer.concat(compiled);
  }

  /** Runs the judge. `stopsEarly`: one failed test is enough. `without`: names of tests that do not run. */
  async judge(stopsEarly: boolean, without: readonly string[] = []): Promise<Judgement> {
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
    return existsSync(report)
      ? judgementIn(report)
      : { passed: 0, failed: ['no test: the judge does not end'] };
  }
}

export interface Judgement {
  /** Number of tests. */
  readonly passed: number;
  /** Full names of tests. */
  readonly failed: readonly string[];
}

/** The part of Vitest's report that matters here. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function judgementIn(report: string): Judgement {
  const { numPassedTests, testResults }: Report = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(({ status, message, assertionResults }) => {
    if (assertionResults.length > 0) {
      return assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
    }
    // A file without tests could not be imported, and says so, or has not begun when another one failed.
    return status === 'failed' && message !== '' ? [message] : [];
  });
  return { passed: numPassedTests, failed };
}

function quoted(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

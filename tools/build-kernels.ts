/** `npm run build:kernels` compiles each WebAssembly module of kernels/ into the room that runs it. */
import { resolve } from 'node:path';
import asc from 'assemblyscript/asc';

const PROJECT = resolve(import.meta.dirname, '..');

export interface Kernel {
  /** The paths of the sources, from kernels/. */
  readonly entries: readonly string[];
  /** The path of the module, from the root of the project. */
  readonly wasm: string;
}

export const KERNELS: readonly Kernel[] = [
  { entries: ['sitemap/transcode.ts'], wasm: 'src/core/sitemap/kernel.wasm' },
  { entries: ['records/find-elements.ts'], wasm: 'src/platform/json/kernel.wasm' },
  { entries: ['records/find-lines.ts'], wasm: 'src/platform/lines/kernel.wasm' },
  { entries: ['forms/xml-ends.ts', 'forms/json-rows.ts'], wasm: 'src/features/uploads/forms/kernel.wasm' },
  { entries: ['find/hash-locs.ts'], wasm: 'src/features/find/kernel.wasm' },
  { entries: ['changes/compare-entries.ts'], wasm: 'src/features/entries/kernel.wasm' },
];

/** Compiles the sources of `project` into `outFile`. Throws with the compiler's messages. */
export async function buildKernel({ entries }: Kernel, outFile: string, project = PROJECT): Promise<void> {
  const sources = entries.map((entry) => `kernels/${entry}`);
  const options = ['--baseDir', project, '--config', 'kernels/asconfig.json', '--outFile', outFile];
  const { error, stderr } = await asc.main([...sources, ...options]);
  if (error !== null) throw new Error(stderr.toString(), { cause: error });
}

if (import.meta.main) for (const kernel of KERNELS) await buildKernel(kernel, kernel.wasm);

/** The WebAssembly that compares entries, and what it exports (change-kernel/compare-entries.ts describes it). */
import { readFileSync } from 'node:fs';

/** Compiled with the first comparison. */
let module: WebAssembly.Module | undefined;

export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly END: WebAssembly.Global;
  readonly FILES: WebAssembly.Global;
  readonly RECORDS: WebAssembly.Global;
  readonly ORIGINS: WebAssembly.Global;
  readonly ORIGIN_BYTES: WebAssembly.Global;
  readonly ORIGIN_SLOTS: WebAssembly.Global;
  readonly PADDING: WebAssembly.Global;
  readonly MAX_RECORDS: WebAssembly.Global;
  readonly position: WebAssembly.Global;
  readonly entries: WebAssembly.Global;
  readonly hasEnded: WebAssembly.Global;
  beginScan(seedHigh: number, seedLow: number, from: number, length: number, countsOrigins: boolean): void;
  beginTable(at: number, slots: number): void;
  beginFile(text: number): void;
  moveText(text: number): void;
  scan(to: number): number;
  insert(records: number, file: number): number;
  match(records: number): number;
  markFiles(): number;
  unseen(records: number): number;
  clearOrigins(): void;
}

/** A new instance, with a memory of its own. */
export function openKernel(): KernelExports {
  module ??= new WebAssembly.Module(
    readFileSync(new URL('./change-kernel/change-kernel.wasm', import.meta.url)),
  );
  return new WebAssembly.Instance(module, {}).exports as unknown as KernelExports;
}

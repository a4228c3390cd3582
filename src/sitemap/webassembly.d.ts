/** What we use of the WebAssembly JavaScript interface; TypeScript has it for browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** By so many pages of 64 KiB. */
    grow(pages: number): number;
  }
  interface Global {
    value: number;
  }
}

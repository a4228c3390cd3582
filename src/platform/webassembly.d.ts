/** The part of the WebAssembly JavaScript interface that we use. TypeScript declares it for browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    /** `initial`: pages of 64 KiB each. */
    constructor(size: { readonly initial: number });
    readonly buffer: ArrayBuffer;
    /** `pages`: of 64 KiB each. */
    grow(pages: number): number;
  }
  /** The value of an i64 is a bigint. */
  interface Global<Value extends number | bigint = number> {
    value: Value;
  }
}

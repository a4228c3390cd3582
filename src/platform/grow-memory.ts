/** Memory of WebAssembly, which only grows, and loses all its views when it does. */

const PAGE_BYTES = 64 * 1024;

/** Makes the memory at least so many bytes long. `view` is all of it; returns that view, or a new one. */
export function growMemory(memory: WebAssembly.Memory, view: Buffer, bytes: number): Buffer {
  if (bytes <= view.length) return view;
  memory.grow(Math.ceil((bytes - view.length) / PAGE_BYTES));
  return Buffer.from(memory.buffer);
}

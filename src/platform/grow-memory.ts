/** Grows the memory of WebAssembly. The memory never shrinks, and growth detaches all its views. */

const PAGE_BYTES = 64 * 1024;

/**
 * Makes the memory at least `bytes` long. `view`: the current view of all of the memory. Returns this view, or a new one if the memory
 * grew.
 */
export function growMemory(memory: WebAssembly.Memory, view: Buffer, bytes: number): Buffer {
  if (bytes <= view.length) return view;
  memory.grow(Math.ceil((bytes - view.length) / PAGE_BYTES));
  return Buffer.from(memory.buffer);
}

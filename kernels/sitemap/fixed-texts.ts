/** Stores and writes fixed texts as bytes. src/core/sitemap/kernel-layout.ts describes their form. */
import { TEXT_BYTES } from '../../src/core/sitemap/kernel-layout.ts';
import { VECTOR } from '../../src/platform/kernel-layout.ts';
import { copy } from '../vectors.ts';

const TEXTS = memory.data(512, 16);
let used: i32 = 0;

export function text(characters: string): i32 {
  const at = TEXTS + used;
  store<i32>(at, characters.length);
  for (let i = 0; i < characters.length; i++) store<u8>(at + TEXT_BYTES + i, <u8>characters.charCodeAt(i));
  used += TEXT_BYTES + ((characters.length + VECTOR - 1) & ~(VECTOR - 1));
  return at;
}

/** Writes a fixed text. Returns the position after it. */
export function appendText(text: i32, to: i32): i32 {
  return copy(text + TEXT_BYTES, load<i32>(text), to);
}

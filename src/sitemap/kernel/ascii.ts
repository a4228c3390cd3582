/** Fixed texts as bytes: the length, then from the next vector on the text, with room for whole vectors. */
import { copy, VECTOR } from './pattern.ts';

const TEXTS = memory.data(3072, 16);
let used: i32 = 0;

export function ascii(text: string): i32 {
  const at = TEXTS + used;
  store<i32>(at, text.length);
  for (let i = 0; i < text.length; i++) store<u8>(at + VECTOR + i, <u8>text.charCodeAt(i));
  used += VECTOR + ((text.length + VECTOR - 1) & ~(VECTOR - 1));
  return at;
}

export function lengthOf(text: i32): i32 {
  return load<i32>(text);
}

export function bytesOf(text: i32): i32 {
  return text + VECTOR;
}

/** Writes a fixed text. Returns the position after it. */
export function append(text: i32, to: i32): i32 {
  return copy(bytesOf(text), lengthOf(text), to);
}

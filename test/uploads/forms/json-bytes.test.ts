import { expect, test } from 'vitest';
import { JsonBytes } from '../../../src/features/uploads/forms/json-bytes.ts';

const NAME = Buffer.from('"a":');
const CLOSE_OBJECT = 0x7d;

/** An object whose last member fills the buffer to its last byte. */
function fillExactly(json: JsonBytes): string {
  json.makeRoom(1);
  json.bytes[json.at++] = 0x7b;
  const length = json.bytes.length - json.at - NAME.length - 3;
  json.makeRoom(NAME.length + length + 3);
  json.put(NAME);
  json.string(Buffer.alloc(length, 'x'), 0, length);
  json.comma();
  expect(json.at).toBe(json.bytes.length);
  json.close(CLOSE_OBJECT);
  return Buffer.from(json.written).toString();
}

test.for([
  ['a buffer of its own', () => new JsonBytes()],
  ['WebAssembly memory', () => new JsonBytes(new WebAssembly.Memory({ initial: 1 }))],
] as const)('nothing is lost where %s ends', ([, create]) => {
  const json = create();
  json.clear();
  json.makeRoom(64);
  expect(fillExactly(json)).toMatch(/^\{"a":"x+"\},$/);
});

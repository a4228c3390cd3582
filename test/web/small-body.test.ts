import { expect, test } from 'vitest';
import { readSmallBody, smallBodyBytes } from '../../src/core/web/small-body.ts';

const requestOf = (headers: Record<string, string>) => ({ headers }) as never;

test.each<[boolean, Record<string, string>]>([
  [true, { 'content-length': '0' }],
  [true, { 'content-length': '65536' }],
  [false, { 'content-length': '65537' }],
  [false, {}],
  [false, { 'transfer-encoding': 'chunked' }],
  [false, { 'content-length': '10', 'content-encoding': 'gzip' }],
  [false, { 'content-length': '10', 'content-encoding': '' }],
])('small: %s, with %j', (isSmall, headers) => {
  expect(smallBodyBytes(requestOf(headers)) !== undefined).toBe(isSmall);
});

async function* chunksOf(text: string, failure?: Error) {
  for (const character of text) yield Buffer.from(character);
  if (failure !== undefined) throw failure;
}

async function read(length: number, chunks: AsyncIterable<Uint8Array>) {
  const got: string[] = [];
  let failed: unknown;
  try {
    const request = requestOf({ 'content-length': String(length) });
    for await (const chunk of await readSmallBody(request, chunks)) got.push(Buffer.from(chunk).toString());
  } catch (error) {
    failed = error;
  }
  return { got, failed };
}

test('chunks become one', async () => {
  expect(await read(7, chunksOf('waypost'))).toEqual({ got: ['waypost'], failed: undefined });
  expect(await read(0, chunksOf(''))).toEqual({ got: [], failed: undefined });
});

test('a failure comes after what was there', async () => {
  const failure = new Error('cut');
  expect(await read(7, chunksOf('way', failure))).toEqual({ got: ['way'], failed: failure });
  expect(await read(7, chunksOf('', failure))).toEqual({ got: [], failed: failure });
});

/** Reads a page of a bucket's list: the answer to ListObjectsV2. */
import { setImmediate as turn } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { textAlone } from '../alone.ts';
import { boundAttributes, MAX_ELEMENT_DEPTH } from '../bound-xml.ts';
import { isStorable } from '../storable-text.ts';

export interface BucketObject {
  readonly key: string;
  /** The tag as the store writes it; null if the list has none. */
  readonly etag: string | null;
  readonly bytes: number;
}

export interface ListPage {
  readonly objects: readonly BucketObject[];
  /** The token of the next page; undefined for the last one. */
  readonly next: string | undefined;
}

/** S3's limit of keys in a page. */
const PAGE_KEYS = 1000;
/** PAGE_KEYS keys of 1,024 bytes take 3 MiB if each byte is written as `%xx`. The other elements have room for 9 MiB. */
export const MAX_PAGE_BYTES = 12 * 1024 * 1024;
/** A key of 1,024 bytes takes 3,072 if each byte is written as `%xx`. Tokens are as long in some stores. */
const MAX_TEXT = 4096;

/** The query of a page. The store encodes the keys, because a key may have characters that XML lacks. */
export function pageQuery(prefix: string, token: string | undefined): Readonly<Record<string, string>> {
  return {
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(PAGE_KEYS),
    prefix,
    ...(token !== undefined && { 'continuation-token': token }),
  };
}

/** Reads a page of a list. `answer`: the whole answer, in chunks. Throws RangeError with the fault. */
export async function readListPage(answer: AsyncIterable<Uint8Array>): Promise<ListPage> {
  const page = await fieldsOf(answer);
  const isEncoded = page.fields.EncodingType === 'url';
  const objects = page.contents.map(({ Key = '', ETag, Size = '' }): BucketObject => {
    const key = isEncoded ? decoded(Key) : Key;
    if (key === '' || !isStorable(key)) throw new RangeError('lists a key that is no text');
    if (!/^\d{1,15}$/.test(Size)) throw new RangeError('lists an object without its size');
    // A list has many pages, and none of them must stay in memory.
    return { key: textAlone(key), etag: ETag === undefined ? null : textAlone(ETag), bytes: Number(Size) };
  });
  const { IsTruncated, NextContinuationToken: next } = page.fields;
  if (IsTruncated !== 'true') return { objects, next: undefined };
  if (!next) throw new RangeError('lists in pages without a token: it lacks ListObjectsV2');
  return { objects, next };
}

type Fields = Record<string, string | undefined>;

/** Returns the members of the root, and the members of each `Contents`. */
async function fieldsOf(answer: AsyncIterable<Uint8Array>) {
  const fields: Fields = {};
  const contents: Fields[] = [];
  let content: Fields = {};
  const path: string[] = [];
  let text = '';
  const parser = new SaxesParser({ position: false });
  boundAttributes(parser, (problem) => new RangeError(`answers ${problem}`));
  parser.on('opentag', ({ name }) => {
    if (path.push(name) > MAX_ELEMENT_DEPTH)
      throw new RangeError('answers elements that are nested too deep');
    text = '';
    if (path.length === 2) content = {};
    if (path.length === 1 && name !== 'ListBucketResult') throw new RangeError('answers no list');
  });
  const take = (more: string) => {
    text += more;
    if (path.length > 1 && text.length > MAX_TEXT) throw new RangeError('lists a text that is too long');
  };
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => {
    const name = path.pop()!;
    if (path.length === 1 && name === 'Contents') {
      if (contents.push(content) > PAGE_KEYS)
        throw new RangeError(`lists more than ${PAGE_KEYS} keys in a page`);
    } else if (path.length === 1) fields[name] = text;
    else if (path.length === 2 && path[1] === 'Contents') content[name] = text;
    text = '';
  });
  parser.on('error', () => {
    throw new RangeError('answers a list that is not well-formed XML');
  });
  const decoder = new TextDecoder();
  for await (const chunk of answer) {
    parser.write(decoder.decode(chunk, { stream: true }));
    // An answer of MAX_PAGE_BYTES takes seconds, and other work must go on meanwhile.
    await turn();
  }
  parser.write(decoder.decode()).close();
  return { fields, contents };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new RangeError('lists a key that is not encoded as it says');
  }
}

/** What the `Content-Type` of an upload says of its body. */
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { readBodyType } from '../../src/edges/api/body-type.ts';

const requestOf = (type: string | undefined, query = {}) =>
  ({ get: () => type, query }) as unknown as Request;

test.each<[string, object]>([
  ['application/json', { form: 'json', query: {} }],
  ['application/json;', { form: 'json', query: {} }],
  ['Application/JSON ; Charset="UTF-8"', { form: 'json', query: {} }],
  ['application/json; odata.metadata=minimal; charset=utf8', { form: 'json', query: {} }],
  ['text/xml; charset=us-ascii', { form: 'xml', query: {} }],
  ['application/vnd.apache.parquet; charset=binary', { form: 'parquet', query: {} }],
  // What our own answers of CSV say.
  ['text/csv; charset=utf-8; header=present', { form: 'csv', query: {} }],
  ['text/csv; header=absent', { form: 'csv', query: { header: 'false' } }],
  ['text/csv; charset=Windows-1252', { form: 'csv', query: { charset: 'windows-1252' } }],
  ['text/plain; charset=iso-8859-1', { form: 'text', query: { charset: 'windows-1252' } }],
  ['application/x-ndjson; charset=utf-16le', { form: 'ndjson', query: { charset: 'utf-16le' } }],
  // A byte order mark tells which one it is.
  ['text/csv; charset=utf-16', { form: 'csv', query: {} }],
  ['text/plain; header=absent', { form: 'text', query: {} }],
])('%s', (type, said) => {
  expect(readBodyType(requestOf(type))).toEqual(said);
});

test('the query wins', () => {
  const query = { charset: 'iso-8859-15', header: 'true', columns: 'loc' };
  const { query: read } = readBodyType(requestOf('text/csv; charset=windows-1252; header=absent', query));
  expect(read).toEqual(query);
});

test.each([
  [undefined, / It is absent\.$/],
  [
    'application/x-www-form-urlencoded',
    / It is application\/x-www-form-urlencoded\. curl -d and wget say so/,
  ],
  ['multipart/form-data; boundary=x', / It is multipart\/form-data; boundary=x\. Send the file alone/],
  ['text/html', / It is text\/html\.$/],
  ['application/gzip', / It is application\/gzip\. Name the form .* Content-Encoding\.$/],
  [
    'text/csv; charset=koi8-r',
    /^Content-Type must be text\/csv with a charset of utf-8, .* It is text\/csv; charset=koi8-r\.$/,
  ],
  ['application/json; charset=iso-8859-1', /^Content-Type must be application\/json in UTF-8\./],
  ['text/xml; charset=utf-16', /^Content-Type must be application\/xml in UTF-8\./],
  ['application/json, text/plain', /^Content-Type must be one of /],
  ['text/csv; header', /^Content-Type must be one of /],
  ['csv', /^Content-Type must be one of /],
])('%s is refused, and named', (type, message) => {
  expect(() => readBodyType(requestOf(type))).toThrow(message);
});

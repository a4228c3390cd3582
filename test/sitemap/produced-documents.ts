/**
 * Lets libxml2 check every document of a test file against the schemas of sitemaps.org and Google: at the end of the
 * file, and earlier if there are many, because one call for many documents costs as much as for one.
 */
import { expect } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { schemaErrors, schemaFor } from './schema-judge.ts';

/** More would only take memory. The arguments of a command have room for some thousands. */
const DOCUMENTS_PER_CALL = 1_000;

/** Documents by the schema that checks them. */
const waiting = new Map<string, string[]>();
const complaints: string[] = [];

/** Returns the document, and keeps it for the check. Call it anywhere in a test file. */
export function produced(document: string): string {
  const schema = schemaFor(document);
  if (schema === undefined) return document;
  const documents = waiting.get(schema) ?? [];
  waiting.set(schema, documents);
  documents.push(document);
  if (documents.length === DOCUMENTS_PER_CALL) judge(schema, documents.splice(0));
  return document;
}

atEndOfFile(() => {
  for (const [schema, documents] of waiting) judge(schema, documents.splice(0));
  expect(complaints.splice(0), 'what xmllint says against the documents that were produced').toEqual([]);
});

/** Reports complaints only at the end: in the middle of a property they would accuse the wrong case. */
function judge(schema: string, documents: readonly string[]): void {
  if (documents.length === 0) return;
  const errors = schemaErrors(schema, ...documents);
  if (errors === '') return;
  const [, accused] = /^(\d+)\.xml:/m.exec(errors) ?? [];
  complaints.push(`${errors}\n${documents[Number(accused)]?.slice(0, 10_000)}`);
}

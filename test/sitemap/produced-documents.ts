/**
 * Has libxml2 judge every document that the tests of a file produce, by the schemas of sitemaps.org and Google:
 * at the end of the file, and before if there are many, as one call for many documents costs what one for one does.
 */
import { afterAll, expect } from 'vitest';
import { schemaErrors, schemaFor } from './schema-judge.ts';

/** More would only lie in memory; the arguments of a command have room for some thousands. */
const DOCUMENTS_PER_CALL = 1_000;

/** By the schema that judges them. */
const waiting = new Map<string, string[]>();
const complaints: string[] = [];

/** Hands the document on, and keeps it for the judge. Call it at any time in a test file. */
export function produced(document: string): string {
  const schema = schemaFor(document);
  if (schema === undefined) return document;
  const documents = waiting.get(schema) ?? [];
  waiting.set(schema, documents);
  documents.push(document);
  if (documents.length === DOCUMENTS_PER_CALL) judge(schema, documents.splice(0));
  return document;
}

afterAll(() => {
  for (const [schema, documents] of waiting) judge(schema, documents.splice(0));
  expect(complaints, 'what xmllint says against the documents that were produced').toEqual([]);
});

/** Complaints are told at the end only: in the middle of a property they would accuse the wrong case. */
function judge(schema: string, documents: readonly string[]): void {
  if (documents.length === 0) return;
  const errors = schemaErrors(schema, ...documents);
  if (errors === '') return;
  const [, accused] = /^(\d+)\.xml:/m.exec(errors) ?? [];
  complaints.push(`${errors}\n${documents[Number(accused)]?.slice(0, 10_000)}`);
}

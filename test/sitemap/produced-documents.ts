/**
 * Has libxml2 judge every document that the tests of a file produce, by the schemas of sitemaps.org and Google:
 * at the end of the file, and before if there are many, as one call for many documents costs what one for one does.
 */
import { afterAll, expect } from 'vitest';
import { hasXmllint, schemaErrors, sharedFile } from './shared-folder.ts';

/** More would only lie in memory; the arguments of a command have room for some thousands. */
const DOCUMENTS_PER_CALL = 1_000;

const schemas = { urlset: sharedFile('xsd/all.xsd'), sitemapindex: sharedFile('xsd/siteindex.xsd') };
const canJudge = Object.values(schemas).every((schema) => schema !== undefined) && hasXmllint();
const waiting = { urlset: [] as string[], sitemapindex: [] as string[] };
const complaints: string[] = [];

/** Hands the document on, and keeps it for the judge. Call it at any time in a test file. */
export function produced(document: string): string {
  if (!canJudge) return document;
  const kind = document.includes('<sitemapindex ') ? 'sitemapindex' : 'urlset';
  waiting[kind].push(document);
  if (waiting[kind].length === DOCUMENTS_PER_CALL) judge(kind);
  return document;
}

afterAll(() => {
  judge('urlset');
  judge('sitemapindex');
  expect(complaints, 'what xmllint says against the documents that were produced').toEqual([]);
});

/** Complaints are told at the end only: in the middle of a property they would accuse the wrong case. */
function judge(kind: keyof typeof schemas): void {
  const documents = waiting[kind].splice(0);
  if (documents.length === 0) return;
  const errors = schemaErrors(schemas[kind]!, ...documents);
  if (errors === '') return;
  const [, accused] = /^(\d+)\.xml:/m.exec(errors) ?? [];
  complaints.push(`${errors}\n${documents[Number(accused)]?.slice(0, 10_000)}`);
}

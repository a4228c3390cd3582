/** xmllint as judge: its complaints about documents under the public schemas. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isHere } from '../support/needs.ts';
import { SCHEMA_FOLDERS } from '../support/schema-folders.ts';

const schemas = SCHEMA_FOLDERS.find(existsSync) ?? '';

/** The schemas of sitemap files with all extensions and of indexes. They need `the public schemas`. */
export const SITEMAP_SCHEMA = join(schemas, 'all.xsd');
export const INDEX_SCHEMA = join(schemas, 'siteindex.xsd');

/** The schema of sitemap files without extensions, from npm's `sitemap`. */
export const PLAIN_SCHEMA = resolve(import.meta.dirname, '../../node_modules/sitemap/schema/sitemap.xsd');

/** The schema that can check the document here; undefined without a schema or without xmllint. */
export function schemaFor(document: string): string | undefined {
  if (!isHere('xmllint')) return undefined;
  if (isHere('the public schemas')) {
    return document.includes('<sitemapindex ') ? INDEX_SCHEMA : SITEMAP_SCHEMA;
  }
  return /<sitemapindex | xmlns:/.test(document) ? undefined : PLAIN_SCHEMA;
}

/** xmllint's complaints about the documents, in one call for all; empty if they are valid. */
export function schemaErrors(schemaFile: string, ...documents: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-xml-'));
  try {
    for (const [i, document] of documents.entries()) writeFileSync(join(folder, `${i}.xml`), document);
    const files = documents.map((_, i) => `${i}.xml`);
    const args = ['--nonet', '--noout', '--schema', schemaFile, ...files];
    const { status, stderr } = spawnSync('xmllint', args, { cwd: folder, encoding: 'utf8' });
    return status === 0 ? '' : `xmllint (${status}): ${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

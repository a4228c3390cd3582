/**
 * The material beside the checkout (schemas, corpora) and the tools that some tests need. A test that cannot run
 * for the lack of them says so on the console.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const SHARED = resolve(import.meta.dirname, '../../../shared');

/** The file's absolute path, or undefined, after a loud complaint, if it is not there. */
export function sharedFile(path: string): string | undefined {
  const file = resolve(SHARED, path);
  if (existsSync(file)) return file;
  console.warn(`SKIPPING TESTS: ${file} does not exist; they need it.`);
  return undefined;
}

/** Whether xmllint can be run; complains loudly if not. */
export function hasXmllint(): boolean {
  if (spawnSync('xmllint', ['--version']).status === 0) return true;
  console.warn('SKIPPING TESTS: xmllint is not installed (apt-get install libxml2-utils); they need it.');
  return false;
}

/** What xmllint has to say against the documents, in one call for all; nothing if they are valid. */
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

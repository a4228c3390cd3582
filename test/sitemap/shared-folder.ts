// The material beside the checkout (schemas, corpora) and the tools that some tests need. A test that cannot run
// for the lack of them says so on the console.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

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

/** What xmllint has to say against the document; nothing if it is valid. */
export function schemaErrors(schemaFile: string, xml: string): string {
  const args = ['--nonet', '--noout', '--schema', schemaFile, '-'];
  const { status, stderr } = spawnSync('xmllint', args, { input: xml, encoding: 'utf8' });
  return status === 0 ? '' : stderr;
}

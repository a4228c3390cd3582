/**
 * The built pages: `npm run build:dashboard` writes them, and each process reads them once. No request
 * reaches the disk.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasCode } from '../../platform/error-code.ts';

const BUILD_FOLDER = fileURLToPath(new URL('../../../pages/dist', import.meta.url));

export interface Asset {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface Assets {
  readonly page: Buffer;
  /** The files by name. A name has a hash of the file's content. */
  readonly files: ReadonlyMap<string, Asset>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Reads the built pages; undefined if they have not been built. */
export async function readAssets(folder = BUILD_FOLDER): Promise<Assets | undefined> {
  const page = await unlessMissing(readFile(join(folder, 'index.html')));
  if (page === undefined) return undefined;
  const names = (await unlessMissing(readdir(join(folder, 'assets')))) ?? [];
  const files = new Map<string, Asset>();
  for (const name of names) {
    const asset = assetOf(name, await readFile(join(folder, 'assets', name)));
    if (asset !== undefined) files.set(name, asset);
  }
  return { page, files };
}

/** Returns the asset of a name; undefined if the name's ending is not known. */
export function assetOf(name: string, body: Buffer): Asset | undefined {
  const contentType = CONTENT_TYPES[extname(name)];
  return contentType === undefined ? undefined : { contentType, body };
}

async function unlessMissing<Content>(reading: Promise<Content>): Promise<Content | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The paths that a site can have. Everything else is unknown without looking anywhere. */
import { parseFileName, STYLESHEET_FILE } from '../../sitemap/file-names.ts';

export type FileName = NonNullable<ReturnType<typeof parseFileName>>;

export type AskedFile =
  | { readonly kind: 'robots' }
  | { readonly kind: 'stylesheet' }
  /** `alias`: the path ended in `.xml.gz`, which means the gzip bytes as a file of their own. */
  | { readonly kind: 'sitemap file'; readonly name: FileName; readonly alias: boolean };

/** Which file a path asks for. Exact forms only: no decoding of `%`, no double slashes, no other case. */
export function parsePath(path: string): AskedFile | undefined {
  if (path === '/robots.txt') return { kind: 'robots' };
  if (path === `/${STYLESHEET_FILE}`) return { kind: 'stylesheet' };
  if (!path.startsWith('/')) return undefined;
  const alias = path.endsWith('.xml.gz');
  const name = parseFileName(path.slice(1, alias ? -'.gz'.length : undefined));
  return name && { kind: 'sitemap file', name, alias };
}

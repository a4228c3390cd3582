/** Chooses the sitemaps of a list. */
import { givenSitemapName } from '../../core/sitemap/file-names.ts';

/**
 * Returns the names of the sitemaps; null for all. The unnamed sitemap has the empty name. `asked`: the name in the query. `covered`: the
 * names in the scope of the key; null for all.
 */
export function coveredNames(
  asked: string | undefined,
  covered: readonly string[] | null,
): readonly string[] | null {
  if (asked === undefined) return covered;
  return [givenSitemapName(asked)].filter((name) => covered?.includes(name) ?? true);
}

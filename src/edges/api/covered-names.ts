/** Sitemaps that a list is about. */
import { givenSitemapName } from '../../core/sitemap/file-names.ts';

/**
 * The unnamed sitemap is the empty name; null: all. `asked`: the name in the query. `covered`: the names that the scope of the key
 * has.
 */
export function coveredNames(
  asked: string | undefined,
  covered: readonly string[] | null,
): readonly string[] | null {
  if (asked === undefined) return covered;
  return [givenSitemapName(asked)].filter((name) => covered?.includes(name) ?? true);
}

/** Finds the most similar known name, despite a typo, another case or another way of joining words. */
import leven from 'leven';

/** No name of ours is longer. The cost of a comparison grows with the product of both lengths. */
const MAX_LENGTH = 64;

/** Returns the nearest name; undefined if no name is near. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > MAX_LENGTH) return undefined;
  const plain = plainForm(given);
  const [nearest] = names
    .map((name) => ({ name, distance: leven(plain, plainForm(name)) }))
    .filter(({ name, distance }) => distance <= name.length / 3)
    .sort((a, b) => a.distance - b.distance);
  return nearest?.name;
}

/** sitemap_name, Sitemap-Name and sitemapName have the same plain form. */
function plainForm(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Finds the name that was probably meant, despite a typo, another case or another way of joining words. */

/** None of our names is longer. The comparison costs the product of both lengths. */
const MAX_LENGTH = 64;

/** Undefined when no name is near. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > MAX_LENGTH) return undefined;
  const plain = plainForm(given);
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(plain, plainForm(name)) }))
    .filter(({ name, distance }) => distance <= name.length / 3)
    .sort((a, b) => a.distance - b.distance);
  return nearest?.name;
}

/** sitemap_name, Sitemap-Name and sitemapName have the same plain form. */
function plainForm(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** The Levenshtein distance: how many characters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

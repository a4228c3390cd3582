/**
 * Sorts validation issues into document order. The schema finds them in its own order, but we promise the client
 * the first violation of the document.
 */

/** The part of a zod issue that matters here. The path leads from `raw` to the faulty member. */
interface Located {
  readonly path: readonly PropertyKey[];
}

/**
 * Sorts issues: an issue on a value comes before those on its members. Members come in the order sent, and missing members at the end of
 * their object.
 */
export function inDocumentOrder<T extends Located>(raw: unknown, issues: readonly T[], depth = 0): T[] {
  if (issues.length < 2) return [...issues];
  const ordered = issues.filter(({ path }) => path.length === depth);
  const deeper = issues.filter(({ path }) => path.length > depth);
  const byMember = Map.groupBy(deeper, ({ path }) => path[depth] as PropertyKey);
  for (const member of new Set([...membersSent(raw, byMember), ...byMember.keys()])) {
    ordered.push(...inDocumentOrder(memberOf(raw, member), byMember.get(member) ?? [], depth + 1));
  }
  return ordered;
}

/** Returns the value that was sent at a path, or undefined. */
export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(memberOf, raw);
}

function membersSent(raw: unknown, wanted: ReadonlyMap<PropertyKey, unknown>): PropertyKey[] {
  // zod checks the elements of an array in order, so their issues are sorted already.
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return [];
  return Object.keys(raw).filter((key) => wanted.has(key));
}

function memberOf(value: unknown, member: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
}

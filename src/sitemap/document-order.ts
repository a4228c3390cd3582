/**
 * Puts validation issues into the order in which the client wrote what they are about. The schema finds them in
 * its own order, whereas "the first violation" is promised in that of the document.
 */

/** The part of a zod issue that matters here; the path leads from `raw` to the member at fault. */
interface Located {
  readonly path: readonly PropertyKey[];
}

/**
 * Issues on a value come before those on its members; members come in the order sent, and those that were not
 * sent, because they are missing, at the end of their object.
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

/** The value at a path within what was sent, or undefined where nothing was. */
export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(memberOf, raw);
}

function membersSent(raw: unknown, wanted: ReadonlyMap<PropertyKey, unknown>): PropertyKey[] {
  // zod goes through an array from its first element to its last, so there the order is right already.
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return [];
  return Object.keys(raw).filter((key) => wanted.has(key));
}

function memberOf(value: unknown, member: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
}

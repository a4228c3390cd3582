/**
 * The full key that was created last in this tab, for the commands of the quick start. It is only in memory, so a reload of the page
 * forgets it.
 */
let fresh: string | undefined;

/** Keeps the full key. `CreateKey` calls this. */
export function setFreshKey(key: string): void {
  fresh = key;
}

export function freshKey(): string | undefined {
  return fresh;
}

/**
 * The key that was made last in this page, for the quick start. It is gone with the page: nothing stores it.
 */
let fresh: string | undefined;

/** Keeps the full key. The page that makes keys calls this. */
export function setFreshKey(key: string): void {
  fresh = key;
}

export function freshKey(): string | undefined {
  return fresh;
}

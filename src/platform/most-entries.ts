/**
 * Returns the bound of a cache by its number of entries, for lru-cache. The option `max` of lru-cache reserves room for all entries at
 * once: 400 kB for 10,000.
 */
export const mostEntries = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 });

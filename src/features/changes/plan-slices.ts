/** Cuts a comparison into slices of the hash space, each with a table that fits. */
/** The planned load of a table. At 15/16 of its slots, the kernel reports the table as full. */
const LOAD = 0.88;
/** Spare slots, for a slice with more hashes than the average. In a small table, such a slice exceeds the average by a larger part. */
const SPARE_SLOTS = 64;
const UPPER_HASHES = 2 ** 32;

/** Plans slices for up to `urls` different URLs. Each slice uses a table of `slots`. */
export function planSlices(urls: number, maxSlots: number) {
  const wanted = urls / LOAD;
  const count = Math.max(1, Math.ceil(wanted / (maxSlots - SPARE_SLOTS)));
  const bounds = Array.from({ length: count + 1 }, (_, i) => Math.floor((UPPER_HASHES / count) * i));
  const slices = bounds.slice(0, -1).map((from, i) => ({ from, length: bounds[i + 1]! - from }));
  return { slots: Math.ceil(wanted / count) + SPARE_SLOTS, slices };
}

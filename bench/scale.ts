/** The size of a bench, which `--scale` makes smaller to see that it works; its figures mean nothing then. */

/** At least a batch's worth of `count`. */
export function scaled(count: number, scale: number): number {
  return Math.max(1000, Math.round(count * scale));
}

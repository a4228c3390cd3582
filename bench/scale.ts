/** `--scale` makes a bench smaller, to check that it runs. Its figures then mean nothing. */

/** Scales `count`, but not below 1,000. */
export function scaled(count: number, scale: number): number {
  return Math.max(1000, Math.round(count * scale));
}

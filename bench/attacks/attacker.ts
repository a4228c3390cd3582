/** An attacker's end of its wire to the bench (start-attacker.ts), and the client addresses it comes from. */

const HONEST_ADDRESS = '127.0.0.1';

/** For client `n`, one of so many `addresses`, or the honest one. On Linux all of 127.0.0.0/8 is loopback. */
export function clientAddress(n: number, addresses: number | undefined): string {
  if (addresses === undefined) return HONEST_ADDRESS;
  const at = n % addresses;
  return `127.66.${Math.floor(at / 250)}.${1 + (at % 250)}`;
}

const INTERVAL_MS = 100;

/** Tells the parent what there is to report, now and then, and ends with it. */
export function tellParent<Report>(report: () => Report): void {
  setInterval(() => process.send!(report()), INTERVAL_MS);
  process.once('disconnect', () => process.exit());
}

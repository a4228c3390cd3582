/** The attacker's side: its reports to the bench (start-attacker.ts), and the addresses of its clients. */

const HONEST_ADDRESS = '127.0.0.1';

/** The address of client `n` among `addresses`, by default the honest one. On Linux all of 127.0.0.0/8 is loopback. */
export function clientAddress(n: number, addresses: number | undefined): string {
  if (addresses === undefined) return HONEST_ADDRESS;
  const at = n % addresses;
  return `127.66.${Math.floor(at / 250)}.${1 + (at % 250)}`;
}

const INTERVAL_MS = 100;

/** Sends reports to the parent, and ends when the parent does. */
export function tellParent<Report>(report: () => Report): void {
  setInterval(() => process.send!(report()), INTERVAL_MS);
  process.once('disconnect', () => process.exit());
}

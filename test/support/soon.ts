/** How long a test waits for what must come: a machine may be busy, and a wait that succeeds costs nothing more. */
export const SOON = { timeout: 120_000, interval: 25 };

/** The longest wait for something that must happen. A busy machine needs it, and a wait that succeeds costs nothing. */
export const SOON = { timeout: 120_000, interval: 25 };

/** For every test file: whatever it opened and still keeps the process alive with when it has ended fails it. */
import { afterAll, expect, vi } from 'vitest';

/** Those of sockets, servers and child processes; timers and pipes are Vitest's own too. */
const OWN = /^(TCP|UDP|Process)/;

function openResources(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => OWN.test(kind))
    .sort();
}

const before = openResources();

// Registered first, so it runs last. What was closed may take some turns of the event loop to be gone.
afterAll(async () => {
  await vi.waitFor(() => expect(openResources(), 'resources that were left open').toEqual(before), {
    timeout: 60_000,
  });
});

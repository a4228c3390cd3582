/** Fails a test file that leaves a resource open which keeps the process alive. Every test file loads it. */
import { afterAll, expect, vi } from 'vitest';

/** Sockets, servers and child processes. Vitest itself uses timers and pipes. */
const OWN = /^(TCP|UDP|Process)/;

function openResources(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => OWN.test(kind))
    .sort();
}

const before = openResources();

// Registered first, so it runs last. A closed resource may take some turns of the event loop to disappear.
afterAll(async () => {
  await vi.waitFor(() => expect(openResources(), 'resources that were left open').toEqual(before), {
    timeout: 60_000,
  });
});

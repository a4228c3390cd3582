/** Ends every test file: undoes its changes, and checks that no open resource keeps the process alive. */
import { afterAll, expect, vi } from 'vitest';
import { endFile } from './end-of-file.ts';

/** The names of sockets, servers and child processes. Vitest itself uses timers and pipes. */
const OWN = /^(TCP|UDP|Process)/;

function openResources(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => OWN.test(kind))
    .sort();
}

const before = openResources();

// This hook is registered first, so it runs last. A closed resource may take some turns of the event loop to disappear.
afterAll(async () => {
  endFile();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
  await vi.waitFor(() => expect(openResources(), 'resources that were left open').toEqual(before), {
    timeout: 60_000,
  });
});

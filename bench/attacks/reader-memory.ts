/**
 * Measures the memory that hosting needs for each of a thousand slow readers of a cached file. As gzip the file has 580 kB, and the kernel
 * may take all of it at once. Inflated it has 6 MB. That is too much for the kernel, so the server must keep the place of each reader in
 * the file.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOf } from '../../tools/process-memory.ts';
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { LARGE_FILE_PATH } from '../hosting/compared-files.ts';
import { onClientCore } from '../hosting/cores.ts';
import { LeanConnection, requestFor } from '../hosting/lean-connection.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import type { ServerProcess } from '../server-process.ts';
import { identityRequest } from './attacked-files.ts';
import { holdConnections, untilConnected } from './attackers.ts';

const CONNECTIONS = 1000;
const OPEN_PER_SECOND = 250;
const CONNECTING_MS = 15_000;
const ADDRESSES = 100;
const READ_BYTES_PER_SECOND = 4096;
const WARM_UP_REQUESTS = 50;
const SETTLE_MS = 4000;
const MAX_KILOBYTES = 100;

export async function* readerMemory(objects: string, scale: number): AsyncGenerator<Figure, void, undefined> {
  const requests = {
    'as gzip': requestFor(BENCH_HOSTNAME, LARGE_FILE_PATH),
    inflated: identityRequest(BENCH_HOSTNAME, LARGE_FILE_PATH),
  };
  for (const [how, request] of Object.entries(requests)) {
    await using hosting = await startHosting({ STORAGE_DIR: objects });
    const { connected, bytes } = await measure(hosting, request, scale);
    yield {
      name: `${connected} slow readers of a cached file, ${how}: memory for each`,
      value: bytes / 1000 / connected,
      unit: 'kB',
      goal: { atMost: MAX_KILOBYTES },
    };
  }
}

/** The memory of all readers together. */
async function measure({ port, pid }: ServerProcess, request: string, scale: number) {
  using warmUp = await LeanConnection.open(port);
  for (let n = 0; n < WARM_UP_REQUESTS; n++) await warmUp.get(request);
  const before = (await memoryOf(pid))!.resident;
  const connections = Math.ceil(CONNECTIONS * scale);
  const pace = { openPerSecond: OPEN_PER_SECOND, readBytesPerSecond: READ_BYTES_PER_SECOND };
  await using attacker = await holdConnections(
    { port, request, connections, addresses: ADDRESSES, ...pace },
    onClientCore,
  );
  await untilConnected(attacker, connections, CONNECTING_MS);
  await delay(SETTLE_MS * scale);
  return { connected: attacker.report().connected, bytes: (await memoryOf(pid))!.resident - before };
}

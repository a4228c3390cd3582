/** Watches the event loop of another process: settings that load a monitor into the process, and the delays that the monitor reports. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLoopDelays } from './event-loop-monitor.ts';

const MONITOR = new URL('./event-loop-monitor.ts', import.meta.url).href;

export interface EventLoopWatch extends AsyncDisposable {
  /** Environment variables for the watched process. */
  readonly settings: Readonly<Record<string, string>>;
  /** The delays since the last call. */
  takeDelays(): Promise<EventLoopDelays>;
}

export async function openEventLoopWatch(): Promise<EventLoopWatch> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-watch-'));
  const socketPath = join(folder, 'socket');
  const options = `${process.env.NODE_OPTIONS ?? ''} --import=${MONITOR}`;
  return {
    settings: { NODE_OPTIONS: options.trim(), EVENT_LOOP_SOCKET: socketPath },
    async takeDelays() {
      const [answer] = (await once(request({ socketPath }).end(), 'response')) as [IncomingMessage];
      return JSON.parse(Buffer.concat(await answer.toArray()).toString());
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

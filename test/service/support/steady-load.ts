/** Clients with their own connections. Each asks for one file after the other until `stop`. */
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { settled } from '../../support/soon.ts';
import { type Received, send } from './send.ts';

export interface Load {
  readonly answers: number;
  /** Requests without an answer, on a reused connection and on a new one. */
  readonly lost: string[];
  readonly refused: string[];
  /** Answers that `judge` did not accept. */
  readonly wrong: unknown[];
  /** Resolves after this many more answers. */
  passes(answers: number): Promise<void>;
  /** Stops, and resolves when no request is under way any more. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** For https: the trusted authority, and the name for the handshake. */
  readonly secure?: { readonly ca: string; readonly servername: string };
  /** Throws if an answer is wrong. */
  readonly judge: (answer: Received) => void;
}

export function startLoad({ url, headers, connections, secure, judge }: LoadOptions): Load {
  const kept = { keepAlive: true, maxSockets: connections };
  const agent = secure === undefined ? new Agent(kept) : new SecureAgent({ ...kept, ...secure });
  const waiting = new Map<() => void, number>();
  const load = { answers: 0, lost: [] as string[], refused: [] as string[], wrong: [] as unknown[] };
  let isStopped = false;

  const askOnce = async () => {
    try {
      const answer = await send(url, { headers, agent });
      load.answers += 1;
      judge(answer);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) load.wrong.push(error);
      else if ('reusedSocket' in error && error.reusedSocket) load.lost.push(String(error.code));
      else load.refused.push(String(error.code));
    }
    for (const [resolve, answers] of waiting) if (load.answers >= answers) resolve();
  };
  const askOn = async () => {
    while (!isStopped) await askOnce();
  };
  const clients = Promise.all(Array.from({ length: connections }, askOn));
  return Object.assign(load, {
    async passes(answers: number) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(resolve, load.answers + answers);
      await settled(promise, `${answers} more answers from ${url}`, () => JSON.stringify(load));
      waiting.delete(resolve);
    },
    async stop() {
      isStopped = true;
      await clients;
      agent.destroy();
    },
  });
}

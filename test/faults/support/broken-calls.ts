/** Breaks one call of an operation after the other, and says how often that was possible. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FaultAction, FaultProxy, FaultRule } from '../../support/fault-proxy.ts';
import type { Message } from '../../support/message-pieces.ts';

/** For a sample: tries one call of each fault and only every STEP-th call after it, and one of PARTS faults. */
export const STEP = Number(process.env.FAULTS_EVERY ?? 1);
const PARTS = STEP === 1 ? 1 : 8;
/** The seed of a sample: it chooses calls and faults. The configuration of the run sets and prints it. */
const SEED = Number(process.env.FAULTS_SEED ?? 0);

/** A fault of a sample. `share`: the part of the sample before it, from 0 to less than 1. */
export type Sampled<Fault> = Fault & { readonly share: number };

/** The faults of this run: one of each PARTS that are neighbours, in turn. PARTS successive seeds have all of them. */
export function sampleOf<Fault extends object>(faults: readonly Fault[]): readonly Sampled<Fault>[] {
  const taken = faults.filter((_, place) => (place + Math.floor(place / PARTS) + SEED) % PARTS === 0);
  return taken.map((fault, place, { length }) => ({ ...fault, share: place / length }));
}

/** The first of `calls` to break. The faults of a sample begin at calls far from each other, and seeds come to each call with each fault. */
const firstCall = (share: number, calls: number): number =>
  1 + ((Math.floor(share * calls) + Math.floor(SEED / PARTS)) % calls);

/** Long enough for everything else under way to finish first. */
export const DELAY_MS = 150;

/** A run of the operation whose n-th call to a peer was to break. */
export interface BrokenRun<Struck = unknown> {
  /** The call that was struck. Undefined if the operation ended before the fault. */
  readonly struck: Struck | undefined;
  /** How many calls each peer got, as far as they are counted. */
  readonly calls: Readonly<Record<string, number>>;
}

/**
 * Returns a function that calls `breakOnce` with 1, 2, 3 …, until nothing is struck: the operation ended before. It returns the number of
 * strikes, which is never 0. In a sample, the first run that ends before its fault tells how many calls there are, and so where the faults
 * begin.
 */
export function createCallBreaker() {
  let counted: BrokenRun['calls'] = {};
  return async (
    { peer, share, step = STEP }: Sampled<{ readonly peer: string; readonly step?: number }>,
    breakOnce: (n: number) => Promise<BrokenRun>,
  ): Promise<number> => {
    let calls = STEP > 1 ? (counted[peer] ?? Infinity) : Infinity;
    const first = () => firstCall(share, Math.min(step, calls));
    let strikes = 0;
    for (let n = first(); n <= calls; ) {
      const run = await breakOnce(n);
      if (run.struck !== undefined) {
        strikes += 1;
        n += step;
      } else {
        // One run makes more calls than another: recurring jobs call too.
        calls = Math.min(run.calls[peer]!, n - 1);
        counted = { ...run.calls, ...counted };
        if (strikes === 0) n = first();
      }
    }
    expect(strikes, 'strikes').toBeGreaterThan(0);
    return strikes;
  };
}

/** Returns a line of the list of calls that a sweep has covered. */
export const coveredLine = (strikes: number, name: string) => `${String(strikes).padStart(4)} × ${name}`;

export interface ProxyFault {
  readonly name: string;
  /** Whether the process dies. Then it is a process of its own. */
  readonly kills: boolean;
  readonly peer: 'postgres' | 's3';
  readonly at: FaultRule['at'];
  readonly action: (kill: () => void) => FaultAction;
}

const STATUS_503: ProxyFault = {
  ...{ name: 'status 503 at request N of s3', kills: false, peer: 's3' },
  ...{ at: 'request', action: () => ({ status: 503 }) },
};

/** The faults of calls to the stores. */
export const PROXY_FAULTS: readonly ProxyFault[] = (['postgres', 's3'] as const).flatMap((peer) => [
  ...(['request', 'response'] as const).flatMap((at): ProxyFault[] => [
    { name: `SIGKILL at ${at} N of ${peer}`, kills: true, peer, at, action: (kill) => ({ call: kill }) },
    { name: `cut at ${at} N of ${peer}`, kills: false, peer, at, action: () => 'cut' },
  ]),
  {
    ...{ name: `a short hang, then a cut, at response N of ${peer}`, kills: false, peer },
    ...{ at: 'response', action: () => ({ call: () => delay(DELAY_MS) }) },
  },
  {
    ...{ name: `delay at response N of ${peer}`, kills: false, peer },
    ...{ at: 'response', action: () => ({ delayMs: DELAY_MS }) },
  },
  ...(peer === 's3' ? [STATUS_503] : []),
]);

/** Breaks the n-th call. Returns a function that ends this, and says how the run went. */
export function breakAt(
  proxies: Readonly<Record<ProxyFault['peer'], FaultProxy>>,
  { peer, at, action }: ProxyFault,
  n: number,
  kill: () => void,
): () => BrokenRun<Message> {
  const proxy = proxies[peer];
  proxy.resetCounts();
  proxy.rule = { at, n, action: action(kill) };
  return () => {
    const { struck, requests } = proxy;
    proxy.rule = undefined;
    return { struck, calls: { [peer]: requests } };
  };
}

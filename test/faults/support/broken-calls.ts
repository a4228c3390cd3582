/** Breaks one call of an operation after the other, and says how often that was possible. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FaultAction, FaultProxy, FaultRule } from '../../support/fault-proxy.ts';
import type { Message } from '../../support/message-pieces.ts';

/** For a sample: tries only every STEP-th call, and one of PARTS faults. */
export const STEP = Number(process.env.FAULTS_EVERY ?? 1);
const PARTS = STEP === 1 ? 1 : 3;
/** The seed of a sample: it chooses calls and faults. The configuration of the run sets and prints it. */
const SEED = Number(process.env.FAULTS_SEED ?? 0);

/** The faults of this run: one of each PARTS that are neighbours, in turn. Successive seeds have all of them. */
export const sampleOf = <Fault>(faults: readonly Fault[]): readonly Fault[] =>
  faults.filter((_, place) => (place + Math.floor(place / PARTS) + SEED) % PARTS === 0);

/** The first call to break, so that the faults of a sample begin at calls far from each other. */
export const firstCall = (place: number, faults: number, step: number): number =>
  1 + ((Math.floor((place * step) / faults) + SEED) % step);

/** Long enough for everything else under way to finish first. */
export const DELAY_MS = 150;

/**
 * Calls `breakOnce` with 1, 2, 3 …, until it says that nothing was struck: the operation had ended before. Returns the
 * number of strikes.
 */
export async function breakEachCall(
  breakOnce: (n: number) => Promise<unknown>,
  { first = 1, step = STEP } = {},
): Promise<number> {
  let strikes = 0;
  for (let n = first; (await breakOnce(n)) !== undefined; n += step) strikes += 1;
  if (first === 1) expect(strikes).toBeGreaterThan(0);
  return strikes;
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

/** Breaks the n-th call. Returns a function that ends this, and says which call was struck. */
export function breakAt(
  proxies: Readonly<Record<ProxyFault['peer'], FaultProxy>>,
  { peer, at, action }: ProxyFault,
  n: number,
  kill: () => void,
): () => Message | undefined {
  const proxy = proxies[peer];
  proxy.rule = { at, n, action: action(kill) };
  return () => {
    const { struck } = proxy;
    proxy.rule = undefined;
    return struck;
  };
}

/**
 * The crash sweep of one operation. It runs again and again, and each time another call of its process breaks, N = 1,
 * 2, 3 …, until the operation ends before the fault comes. After each run, dead processes restart, time passes, and the
 * judges check everything.
 */
import { beforeAll, describe, test } from 'vitest';
import type { FaultAction, FaultProxy, FaultRule } from '../../support/fault-proxy.ts';
import type { Message } from '../../support/message-pieces.ts';
import { type BrokenRun, coveredLine, createCallBreaker, DELAY_MS, STEP, sampleOf } from './broken-calls.ts';
import { isOnFolder } from './own-stores.ts';
import { startWorld, type Victim, type World } from './world.ts';

export interface Operation {
  /** The process that runs the operation. */
  readonly victim: 'api' | 'jobs';
  /** Whether its calls go to Postgres alone. By default, some go to the store. */
  readonly callsNoStore?: boolean;
  /** Whether it goes on by itself after `run`, so that no moment before its end is without writes. */
  readonly goesOn?: boolean;
  /** Prepares the state before the operation. */
  readonly prepare: (world: World) => Promise<void>;
  /** Runs the operation. Resolves to true if it has succeeded. */
  readonly run: (world: World) => Promise<boolean>;
  /** Runs the work that must succeed once no call is broken any more, before time passes. */
  readonly again?: (world: World) => Promise<void>;
  /** Checks what only this operation leaves, when time has passed. */
  readonly check?: (world: World) => Promise<void>;
}

interface Fault {
  readonly at: FaultRule['at'];
  readonly name: 'SIGKILL' | 'cut' | 'reset' | 'hang' | 'delay' | 'outage';
}

/** `outage`: from this call on, every call fails until the operation ends. `hang`: the call never gets an answer. */
const FAULTS: readonly Fault[] = [
  { name: 'SIGKILL', at: 'request' },
  { name: 'SIGKILL', at: 'request end' },
  { name: 'SIGKILL', at: 'response' },
  { name: 'cut', at: 'request' },
  { name: 'reset', at: 'request end' },
  { name: 'reset', at: 'response' },
  { name: 'cut', at: 'response end' },
  { name: 'hang', at: 'response' },
  { name: 'delay', at: 'request' },
  { name: 'delay', at: 'response' },
  { name: 'outage', at: 'request' },
  { name: 'outage', at: 'response' },
];

/** S3 has a quarter of the calls, so it gets a quarter of the step. */
const STEPS = { postgres: STEP, s3: Math.ceil(STEP / 4) };

export function sweep(title: string, operation: Operation): void {
  describe(title, () => {
    let world: World;
    const covered: string[] = [];
    beforeAll(async () => {
      world = await startWorld();
      return async () => {
        await world[Symbol.asyncDispose]();
        console.log(`${title}\n${covered.join('\n')}`);
      };
    });
    const breaksStore = !isOnFolder && !operation.callsNoStore;
    const peers = breaksStore ? (['postgres', 's3'] as const) : (['postgres'] as const);
    const points = sampleOf(
      peers.flatMap((peer) => FAULTS.map((fault) => ({ peer, step: STEPS[peer], ...fault }))),
    );
    const breakEachCall = createCallBreaker();
    test.each(points)('$name at $at N of $peer', async (point) => {
      const strikes = await breakEachCall(point, async (n) => {
        // Each run of a sample begins anew, so that one makes about as many calls as another.
        if (n === 1 || STEP > 1) await world.begin();
        return breakOnce(world, operation, { ...point, n });
      });
      covered.push(coveredLine(strikes, `${point.name} at ${point.at} of ${point.peer}`));
    });
  });
}

interface Point extends Fault {
  readonly peer: 'postgres' | 's3';
  readonly n: number;
}

async function breakOnce(
  world: World,
  operation: Operation,
  { peer, at, name, n }: Point,
): Promise<BrokenRun> {
  await operation.prepare(world);
  const victim = world[operation.victim];
  const proxy = victim[peer];
  victim.postgres.resetCounts();
  victim.s3.resetCounts();
  proxy.rule = { at, n, action: actionOf(name, victim, proxy) };
  let step = 'the operation';
  let struck: Message | undefined;
  try {
    const hasSucceeded = await operation.run(world);
    struck = proxy.struck;
    const calls = { postgres: victim.postgres.requests, s3: victim.s3.requests };
    if (!hasSucceeded && struck === undefined) throw new Error('it fails though no call was broken');
    proxy.rule = undefined;
    proxy.mode = 'pass';
    step = 'what is served right after';
    if (!operation.goesOn) await world.checkHosting();
    if (!victim.isAlive) await victim.restart();
    step = 'doing it again';
    await operation.again?.(world);
    step = 'what comes with time';
    await world.endLeases();
    await world.passTime();
    step = 'everything in the end';
    await world.checkAll();
    await operation.check?.(world);
    return { struck, calls };
  } catch (cause) {
    const what = JSON.stringify(struck ?? proxy.struck) ?? 'nothing';
    const where = `${name} at ${at} ${n} of ${peer}, ${what}`;
    throw new Error(`${where}; then, in ${step}: ${cause}\n${victim.log()}`, { cause });
  } finally {
    proxy.rule = undefined;
    proxy.mode = 'pass';
    if (!victim.isAlive) await victim.restart();
  }
}

function actionOf(name: Fault['name'], victim: Victim, proxy: FaultProxy): FaultAction {
  if (name === 'SIGKILL') return { call: () => victim.kill() };
  if (name === 'delay') return { delayMs: DELAY_MS };
  if (name !== 'outage') return name;
  return {
    call: () => {
      proxy.mode = 'refuse';
    },
  };
}

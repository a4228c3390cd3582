/**
 * The crash sweep of one operation. It runs again and again, and each time another call of its process breaks, N = 1,
 * 2, 3 …, until the operation ends before the fault comes. After each run, dead processes restart, time passes, and the
 * judges check everything.
 */
import { beforeAll, describe, test } from 'vitest';
import type { FaultAction, FaultProxy, FaultRule } from '../../support/fault-proxy.ts';
import type { Message } from '../../support/message-pieces.ts';
import { breakEachCall, coveredLine, DELAY_MS, firstCall, STEP, sampleOf } from './broken-calls.ts';
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
    const points = peers.flatMap((peer) =>
      sampleOf(FAULTS).map((fault, place, { length }) => {
        return { peer, ...fault, first: firstCall(place, length, STEPS[peer]) };
      }),
    );
    test.each(points)('$name at $at N of $peer', async ({ peer, at, name, first }) => {
      await world.begin();
      const strikes = await breakEachCall((n) => breakOnce(world, operation, { peer, at, name, n }), {
        ...{ first, step: STEPS[peer] },
      });
      covered.push(coveredLine(strikes, `${name} at ${at} of ${peer}`));
    });
  });
}

interface Point extends Fault {
  readonly peer: 'postgres' | 's3';
  readonly n: number;
}

/** Returns the message that was struck; undefined if the operation ended before the fault. */
async function breakOnce(world: World, operation: Operation, { peer, at, name, n }: Point) {
  await operation.prepare(world);
  const victim = world[operation.victim];
  const proxy = victim[peer];
  proxy.rule = { at, n, action: actionOf(name, victim, proxy) };
  let step = 'the operation';
  let struck: Message | undefined;
  try {
    const hasSucceeded = await operation.run(world);
    struck = proxy.struck;
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
    return struck;
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

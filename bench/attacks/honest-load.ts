/** Runs honest requests at a steady rate from 127.0.0.1, alone and during an attack. */
import { setTimeout as delay } from 'node:timers/promises';
import { runApart } from '../../tools/run-apart.ts';
import type { PacedLoad, PacedLoadOptions } from '../apart/paced-load.ts';
import type { Figure } from '../figures.ts';
import { onClientCore } from '../hosting/cores.ts';

const SCRIPT = new URL('../apart/paced-load.ts', import.meta.url);
const WARM_UP_MS = 1000;

type Load = Omit<PacedLoadOptions, 'warmUpMs'>;

/** Runs the load. Warms up first, for at most a second. */
export function runHonestLoad(load: Load): Promise<PacedLoad> {
  const options: PacedLoadOptions = { ...load, warmUpMs: warmUpMs(load) };
  return runApart<PacedLoad>(SCRIPT, [JSON.stringify(options)], onClientCore);
}

/** Runs the load beside an attack. The attack starts when the load is warm, so that the first moments of the attack count. */
export async function runBeside<Attacker extends AsyncDisposable, Found>(
  load: Load,
  startAttack: () => Promise<Attacker>,
  look: (attacker: Attacker) => Promise<Found> | Found,
): Promise<{ readonly beside: PacedLoad; readonly found: Found }> {
  const running = runHonestLoad(load);
  // This promise is awaited below, but may reject before.
  running.catch(() => {});
  await delay(warmUpMs(load));
  await using attacker = await startAttack();
  const beside = await running;
  return { beside, found: await look(attacker) };
}

function warmUpMs({ seconds }: Load): number {
  return Math.min(WARM_UP_MS, seconds * 1000);
}

interface HonestRun {
  readonly alone: PacedLoad;
  readonly beside: PacedLoad;
  readonly percentile: 'p50' | 'p99';
  /** The goal: the percentile during the attack ÷ the percentile alone, at most. */
  readonly atMost?: number;
  readonly atMostMs?: number;
}

export function* honestFigures(
  what: string,
  { alone, beside, percentile, atMost, atMostMs }: HonestRun,
): Generator<Figure> {
  const [aloneMs, besideMs] = [alone[`${percentile}Ms`], beside[`${percentile}Ms`]];
  yield { name: `${what}: honest ${percentile}, alone`, value: aloneMs, unit: 'ms' };
  yield {
    name: '  during the attack',
    value: besideMs,
    unit: 'ms',
    ...(atMostMs !== undefined && { goal: { atMost: atMostMs } }),
  };
  yield {
    name: '  during ÷ alone',
    value: besideMs / aloneMs,
    unit: 'x',
    ...(atMost !== undefined && { goal: { atMost } }),
  };
  // A refusal is a fast answer, so count refusals too.
  const goal = atMost === undefined ? {} : { goal: { atMost: 0 } };
  yield { name: '  honest requests not served', value: beside.failed, unit: '', ...goal };
}

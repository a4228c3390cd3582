/** Honest requests at a steady rate, from 127.0.0.1: alone, and beside an attack. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PacedLoad, PacedLoadOptions } from '../apart/paced-load.ts';
import type { Figure } from '../figures.ts';
import { onClientCore } from '../hosting/cores.ts';
import { runApart } from '../run-apart.ts';

const SCRIPT = new URL('../apart/paced-load.ts', import.meta.url);
const WARM_UP_MS = 1000;

type Load = Omit<PacedLoadOptions, 'warmUpMs'>;

/** Warms up for at most a second before. */
export function runHonestLoad(load: Load): Promise<PacedLoad> {
  const options: PacedLoadOptions = { ...load, warmUpMs: warmUpMs(load) };
  return runApart<PacedLoad>(SCRIPT, [JSON.stringify(options)], onClientCore);
}

/** The attack begins when the load is warm, so that its first blow is measured, and ends after the load. */
export async function runBeside<Attacker extends AsyncDisposable, Found>(
  load: Load,
  startAttack: () => Promise<Attacker>,
  look: (attacker: Attacker) => Promise<Found> | Found,
): Promise<{ readonly beside: PacedLoad; readonly found: Found }> {
  const running = runHonestLoad(load);
  // It is awaited below, when it may have failed long since.
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
  /** Of the percentile beside the attack, as a multiple of what it is alone. */
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
    name: '  beside it',
    value: besideMs,
    unit: 'ms',
    ...(atMostMs !== undefined && { goal: { atMost: atMostMs } }),
  };
  yield {
    name: '  beside ÷ alone',
    value: besideMs / aloneMs,
    unit: 'x',
    ...(atMost !== undefined && { goal: { atMost } }),
  };
  // What is refused at once is answered fast.
  const goal = atMost === undefined ? {} : { goal: { atMost: 0 } };
  yield { name: '  honest requests not served', value: beside.failed, unit: '', ...goal };
}

/** Measures full and resumed handshakes, each with one request for 1 kB, per second of the server's processor time. */
import { runApart } from '../../tools/run-apart.ts';
import type { Handshakes, HandshakesOptions } from '../apart/handshakes.ts';
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { SMALL_FILE_PATH } from '../hosting/compared-files.ts';
import { onClientCore } from '../hosting/cores.ts';
import { processorSeconds } from '../process-usage.ts';
import { mediansInTurns } from '../statistics.ts';
import type { SecureServers } from './secure-servers.ts';

const ROUNDS = 5;
const HANDSHAKES = 4_000;
/** The goal: Waypost's handshakes ÷ nginx's, at least. */
const GOAL = 0.5;

const SCRIPT = new URL('../apart/handshakes.ts', import.meta.url);

export async function* benchHandshakes(
  servers: SecureServers,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const count = Math.max(200, Math.round(HANDSHAKES * scale));
  for (const kind of ['full', 'resumed'] as const) {
    const perSecondOf = (name: 'Waypost' | 'nginx') => async () => {
      const { port, pid } = servers[name];
      const options: HandshakesOptions = {
        port,
        hostname: BENCH_HOSTNAME,
        path: SMALL_FILE_PATH,
        ca: servers.ca,
        count,
        isResumed: kind === 'resumed',
      };
      const before = await processorSeconds(pid);
      await runApart<Handshakes>(SCRIPT, [JSON.stringify(options)], onClientCore);
      return count / ((await processorSeconds(pid)) - before);
    };
    const contenders = { Waypost: perSecondOf('Waypost'), nginx: perSecondOf('nginx') };
    // Warm up first.
    for (const shakeHands of Object.values(contenders)) await shakeHands();
    const rounds = Math.max(1, Math.round(ROUNDS * scale));
    const medians = await mediansInTurns(rounds, contenders);
    for (const [name, value] of Object.entries(medians)) {
      yield { name: `${kind} handshakes: ${name}`, value, unit: '1/s of CPU' };
    }
    const ratio = medians.Waypost / medians.nginx;
    yield { name: '  Waypost ÷ nginx', value: ratio, unit: 'x', goal: { atLeast: GOAL } };
  }
}

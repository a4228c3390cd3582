/**
 * Handshakes that lead to no request: connections that stop in the middle, and connections that always begin anew. A client that sends
 * prepared bytes makes the server work, and hardly works itself.
 */
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { processorSeconds } from '../process-usage.ts';
import { clientHello } from '../tls/client-hello.ts';
import { startSecureHosting } from '../tls/start-secure-hosting.ts';
import { holdConnections, loopHandshakes } from './attackers.ts';
import { honestFigures, runBeside, runHonestLoad } from './honest-load.ts';
import { type SecureSite, secureLoad } from './secure-site.ts';

const SECONDS = 10;
/** One client may have this many connections. */
const HELD = 1_000;
const OPEN_PER_SECOND = 500;
const LOOPING = 16;
/** One client may make 200 handshakes a second (docs/LIMITS.md). They take 0.5 ms each, and their connections take more. */
const MAX_PROCESSOR_PERCENT = 20;

type Attack = (port: number) => Promise<AsyncDisposable & { report(): object }>;

export async function* halfHandshakes(
  site: SecureSite,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const hello = (await clientHello(BENCH_HOSTNAME)).toString('latin1');
  const held = { connections: Math.ceil(HELD * scale), openPerSecond: OPEN_PER_SECOND, addresses: 1 };
  const looping = { connections: LOOPING, addresses: 1, hostname: BENCH_HOSTNAME };
  const attacks: Readonly<Record<string, Attack>> = {
    [`${held.connections} connections stop after the first message`]: (port) =>
      holdConnections({ port, ...held, request: hello }),
    '  … send a byte of it a second': (port) =>
      holdConnections({ port, ...held, request: hello, sendBytesPerSecond: 1 }),
    [`${LOOPING} connections shake hands again and again`]: (port) =>
      loopHandshakes({ port, ...looping, isWhole: true }),
    '  … send the first message again and again': (port) => loopHandshakes({ port, ...looping }),
  };
  for (const [name, start] of Object.entries(attacks)) {
    await using hosting = await startSecureHosting(site.objects, site.keys);
    const load = secureLoad(site, hosting.securePort, SECONDS * scale);
    const { pid } = hosting;
    // Warm up first, because compiling the server's code takes processor time too.
    await runHonestLoad({ ...load, seconds: scale });
    const startedAt = await processorSeconds(pid);
    const alone = await runHonestLoad(load);
    const attackedAt = await processorSeconds(pid);
    const { beside, found } = await runBeside(
      load,
      () => start(hosting.securePort),
      async (attacker) => ({ report: attacker.report(), endedAt: await processorSeconds(pid) }),
    );
    yield* honestFigures(name, { alone, beside, percentile: 'p99', atMost: 3 });
    // Subtract the honest load, whose processor time was measured when it ran alone.
    const spent = found.endedAt - attackedAt - (attackedAt - startedAt);
    yield {
      name: '  processor time of the server for them',
      value: (100 * spent) / load.seconds,
      unit: '%',
      goal: { atMost: MAX_PROCESSOR_PERCENT },
    };
    for (const [what, value] of Object.entries(found.report)) yield { name: `  ${what}`, value, unit: '' };
  }
}

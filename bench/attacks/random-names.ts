/** Makes handshakes for names that do not exist, at a steady rate and at full speed, beside an honest load over HTTPS. */
import type { Figure } from '../figures.ts';
import { type SecureHosting, startSecureHosting } from '../tls/start-secure-hosting.ts';
import { loopHandshakes } from './attackers.ts';
import { honestFigures, runBeside, runHonestLoad } from './honest-load.ts';
import { type SecureSite, secureLoad } from './secure-site.ts';

const SECONDS = 10;
const ATTACKS = [
  { perSecond: 1000, addresses: 200, connections: 200 },
  { addresses: 1, connections: 50 },
  { addresses: 200, connections: 200 },
];
/** docs/LIMITS.md allows 128 reads of the directory and 200 look-ups a second. When the flood begins, more look-ups are under way. */
const READS_PER_SECOND = 128 + 200;
const READS_AT_FIRST = 1000;

const READS = 'waypost_object_store_operation_duration_seconds_count';

export async function* randomNames(site: SecureSite, scale: number): AsyncGenerator<Figure, void, undefined> {
  for (const attack of ATTACKS) {
    await using hosting = await startSecureHosting(site.objects, site.keys);
    const port = hosting.securePort;
    const load = secureLoad(site, port, SECONDS * scale);
    const alone = await runHonestLoad(load);
    const before = { reads: await hosting.metric(READS), asked: await askedCertificates(hosting) };
    const attackedAt = performance.now();
    const { beside, found } = await runBeside(
      load,
      () => loopHandshakes({ port, ...attack }),
      (attacker) => attacker.report(),
    );
    const seconds = (performance.now() - attackedAt) / 1000;
    const reads = (await hosting.metric(READS)) - before.reads;
    const asked = (await askedCertificates(hosting)) - before.asked;
    const from = attack.addresses === 1 ? '1 address' : `${attack.addresses} addresses`;
    const rate = attack.perSecond === undefined ? '' : `${attack.perSecond.toLocaleString('en-US')} `;
    yield* honestFigures(`${rate}random names${rate && '/s'} from ${from}`, {
      alone,
      beside,
      percentile: 'p99',
      atMost: 2,
    });
    yield { name: '  names refused', value: found.alerts / seconds, unit: '1/s' };
    const atMost = READS_PER_SECOND * (seconds + 1) + READS_AT_FIRST;
    yield {
      name: '  reads of the store, with those of the honest load',
      value: reads,
      unit: '',
      goal: { atMost },
    };
    yield { name: '  … for certificates', value: asked, unit: '', goal: { atMost: 0 } };
  }
}

/** Returns the number of look-ups of certificates that were not in memory. */
function askedCertificates({ metric }: SecureHosting): Promise<number> {
  return metric('waypost_hosting_cache_requests_total', /cache="certificates",result="miss"/);
}

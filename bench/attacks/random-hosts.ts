/** Sends requests for unknown hosts at a steady rate, while honest clients ask a fresh server for cold sites. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '../figures.ts';
import { onClientCore } from '../hosting/cores.ts';
import { requestFor } from '../hosting/lean-connection.ts';
import type { PublishedSites } from '../hosting/publish-sites.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import { countAnswers, loopRequests } from './attackers.ts';
import { askForColdSites } from './cold-sites.ts';

/** The head start of the attack before the first cold site. */
const HEAD_START_MS = 1000;

const ATTACKS = [
  { perSecond: 1000, addresses: 1, connections: 50, atLeast: 100 },
  { perSecond: 2000, addresses: 200, connections: 200, atLeast: 99 },
];

export async function* randomHosts(
  { objects, hostnames }: PublishedSites,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const requests = [requestFor('RANDOM.example.com', '/sitemap.xml')];
  for (const { atLeast, ...attack } of ATTACKS) {
    await using hosting = await startHosting({ STORAGE_DIR: objects });
    const { port } = hosting;
    const perSecond = Math.max(100, attack.perSecond * scale);
    await using attacker = await loopRequests({ port, requests, ...attack, perSecond }, onClientCore);
    await delay(HEAD_START_MS * scale);
    const startedAt = performance.now();
    const before = countAnswers(attacker.report());
    const asked = hostnames.slice(0, Math.max(2, Math.ceil(hostnames.length * scale)));
    const { percentServed, slowestMs } = await askForColdSites(port, asked, '/sitemap-index.xml');
    const seconds = (performance.now() - startedAt) / 1000;
    const from = attack.addresses === 1 ? '1 address' : `${attack.addresses} addresses`;
    const rate = attack.perSecond.toLocaleString('en-US');
    const name = `${rate} random hosts/s from ${from}: cold sites served`;
    yield { name, value: percentServed, unit: '%', goal: { atLeast } };
    yield { name: '  the slowest', value: slowestMs, unit: 'ms' };
    const answered = countAnswers(attacker.report()) - before;
    yield { name: '  attacks answered', value: answered / seconds, unit: 'requests/s' };
  }
}

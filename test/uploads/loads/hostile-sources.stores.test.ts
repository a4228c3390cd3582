/** Loads of hosts that mean harm, all at once: each load has an answer, and the honest load of another account is whole. */
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { readPlans } from '../../../src/features/accounts/plans.ts';
import { findAttempt } from '../../../src/features/uploads/attempt-store.ts';
import { askLoad } from '../../../src/features/uploads/loads/ask-load.ts';
import type { AskedLoad } from '../../../src/features/uploads/loads/load.ts';
import { takeLoads } from '../../../src/features/uploads/loads/load-store.ts';
import { runLoad } from '../../../src/features/uploads/loads/run-load.ts';
import { createReadOutside } from '../../../src/platform/http/read-outside.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { collectLog } from '../../support/collect-log.ts';
import { endlessly, startRawPeer } from '../../support/raw-peer.ts';
import { indexOf, startSourceHost } from '../../support/source-host.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture();
const { database } = fixture;
const scope = new AsyncDisposableStack();
afterAll(() => scope.disposeAsync());
const host = scope.use(await startSourceHost());

const PAGE = 'https://www.example.com';
const TERMS = {
  ...({ sizeLimit: 'standard', onInvalid: 'fail', maxRejected: 0, maxRejectedPercent: null } as const),
  ...{ expectedUrlCount: null, placement: null },
};
const ASKED: Omit<AskedLoad, 'sources'> = {
  ...{ form: null, dialect: {}, onMissing: 'fail', allowHosts: [], connection: null },
  ...{ ifGeneration: null, force: false, ifChanged: false },
};
const OPTIONS = {
  ...fixture.options,
  reader: {
    read: createReadOutside({ allowedRanges: ['127.0.0.1/32', '127.0.0.3/32'] }),
    ...{ random: () => 0, maxBytes: 1e6, idleMs: 5000, maxWaitMs: 1 },
  },
  ...{ plans: readPlans(), log: collectLog(), emitRefused: () => {} },
  reachStore: () => Promise.reject(new Error('no load here has a connection')),
  reports: { received: () => {}, loadBegins: () => () => {}, loadEnded: () => {} },
};

/** Runs a load of each source, each of an account of its own, at once. */
async function loadAll(sources: readonly string[]) {
  const asked = new Map<string, { accountId: string; source: string }>();
  for (const source of sources) {
    const accountId = await addAccount(database);
    const { hostname } = await addVerifiedDomain(database, accountId);
    const caller = await fixture.uploaderOf(accountId);
    const session = { hostname, sitemapName: '', terms: TERMS };
    const { id } = await askLoad(fixture.options, caller, session, { ...ASKED, sources: [source] }, null);
    asked.set(id, { accountId, source });
  }
  const runDue = async () => {
    const taken = await takeLoads(database, sources.length);
    await Promise.all(taken.map((load) => runLoad(OPTIONS, load, new AbortController().signal)));
    return taken.length;
  };
  expect(await runDue()).toBe(sources.length);
  for (;;) {
    const found = [...asked].map(async ([id, { accountId, source }]) => {
      const { outcome, code, message, urlCount } = (await findAttempt(database, accountId, id))!;
      return [source, { outcome, code, message, urlCount }] as const;
    });
    const attempts = new Map(await Promise.all(found));
    const isRunning = [...attempts.values()].some(({ outcome }) => outcome === 'running');
    if (!isRunning) return attempts;
    // On a busy machine, the lease of a load may end. Then the load is taken again.
    await delay(500);
    await runDue();
  }
}

const chunked = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
const beginsWell = (socket: Socket) => socket.write(`${chunked}1a\r\nhttps://www.example.com/1\n\r\n`);

const HOSTILE: readonly (readonly [string, (socket: Socket) => void, RegExp])[] = [
  [
    'informational answers without end',
    (socket) => endlessly(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(9)),
    /cannot be read/,
  ],
  [
    'a head without end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      endlessly(socket, 'X-A: b\r\n'.repeat(1000));
    },
    /cannot be read/,
  ],
  [
    'a list without end',
    (socket) => {
      socket.write(chunked);
      const lines = 'https://www.example.com/1\n'.repeat(64);
      endlessly(socket, `${lines.length.toString(16)}\r\n${lines}\r\n`);
    },
    /larger than 1000000 bytes/,
  ],
  [
    'chunks of a byte without end',
    (socket) => {
      beginsWell(socket);
      endlessly(socket, '1\r\n\n\r\n'.repeat(1000));
    },
    /cannot be read/,
  ],
  [
    'an index without end',
    (socket) => {
      socket.write(`${chunked}f\r\n<sitemapindex>\n\r\n`);
      const child = '<sitemap><loc>https://www.example.com/a.xml</loc></sitemap>'.repeat(20);
      endlessly(socket, `${child.length.toString(16)}\r\n${child}\r\n`);
    },
    /lists more than 10000 sitemaps, which is the limit/,
  ],
  ['a body that stops', (socket) => void beginsWell(socket), /cannot be read/],
  ['a head that never comes', (socket) => void socket.end(), /cannot be read/],
  ['another protocol', (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'), /cannot be read/],
];

test('hosts that never end, stop, flood and loop, beside an honest one', async () => {
  const wanted = new Map<string, RegExp>();
  const peers = [];
  for (const [, behave, message] of HOSTILE) {
    const peer = scope.use(await startRawPeer());
    peer.answer = behave;
    peers.push(peer);
    wanted.set(`${peer.url}/list.txt`, message);
  }
  const { origin, objects } = host;
  objects.set('/bomb', gzipSync(`${PAGE}/${'a'.repeat(3_000_000)}\n`));
  wanted.set(`${origin}/bomb`, /larger than 1000000 bytes when decompressed/);
  objects.set('/loop-1', indexOf(`${origin}/loop-2`));
  objects.set('/loop-2', indexOf(`${origin}/loop-1`));
  wanted.set(`${origin}/loop-1`, /lead to no entries/);
  for (const n of [1, 2, 3]) objects.set(`/deep-${n}`, indexOf(`${origin}/deep-${n + 1}`));
  wanted.set(`${origin}/deep-1`, /too deep/);
  const honest = Array.from({ length: 3000 }, (_, i) => `${PAGE}/${i}\n`).join('');
  objects.set('/honest.txt', honest);
  const ended = await loadAll([...wanted.keys(), `${origin}/honest.txt`]);
  expect(ended.get(`${origin}/honest.txt`)).toMatchObject({ outcome: 'published', urlCount: 3000 });
  for (const [source, message] of wanted) {
    expect({ source, ...ended.get(source) }).toMatchObject({
      ...{ source, outcome: 'refused' },
      message: expect.stringMatching(message),
    });
  }
  for (const peer of peers) await peer.allClosed();
});

test('addresses that lead into the network are refused, and nobody is asked', async () => {
  const tricks = [
    ...['127.0.0.2', '2130706434', '0x7f.0.0.2', '0177.0.0.2', '127.2', '10.0.0.1', '169.254.169.254'],
    ...['0', '[::1]', '[::ffff:10.0.0.1]', '[64:ff9b::a00:1]', '[fd00:ec2::254]', '①②⑦.⓪.⓪.②', 'localhost'],
  ].map((name) => `https://${name}/sitemap.xml`);
  host.requests.length = 0;
  const ended = await loadAll(tricks);
  for (const source of tricks) {
    expect({ source, ...ended.get(source) }).toMatchObject({
      ...{ source, outcome: 'refused', code: 'VALIDATION_ERROR' },
      message: expect.stringMatching(/^sources: .* cannot be read: /),
    });
  }
  expect(host.requests).toEqual([]);
});

/**
 * HTTPS hosting beside nginx, with the same certificate and the same compressed files: requests on open connections, and
 * handshakes. Servers have one core and clients the other (hosting/cores.ts).
 *
 * Handshakes are counted per second of the server's processor time, because no client on one core keeps nginx busy.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing, newKeyRingText } from '../src/platform/key-ring.ts';
import { freePort } from '../src/platform/process/free-port.ts';
import { certificateKey, sealCertificate } from '../src/sites/certificate.ts';
import { createTestAuthority } from '../test/support/test-certificates.ts';
import { BENCH_HOSTNAME } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { COMPARED_FILES } from './hosting/compared-files.ts';
import { findTool } from './hosting/find-tool.ts';
import { publishSites } from './hosting/publish-sites.ts';
import { startHosting } from './hosting/start-hosting.ts';
import { startNginx } from './hosting/start-nginx.ts';
import { benchHandshakes } from './tls/handshakes.ts';
import { benchRequests, takeFiles } from './tls/requests.ts';
import type { SecureServers } from './tls/secure-servers.ts';

export async function* benchTls(scale: number): AsyncGenerator<Figure, void, undefined> {
  const nginx = findTool('nginx', 'the comparison of HTTPS with nginx');
  if (nginx === undefined) return;
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-tls-bench-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const { objects } = await publishSites(join(folder, 'objects'), 1);
  const authority = scope.use(await createTestAuthority());
  const certificate = await authority.issue(BENCH_HOSTNAME);
  const keys = newKeyRingText();
  const details = { hostname: BENCH_HOSTNAME, notAfter: '2030-01-01T00:00:00Z' };
  const object = sealCertificate(new KeyRing(keys), { ...details, ...certificate });
  await mkdir(join(objects, 'certificates'));
  await writeFile(join(objects, certificateKey(BENCH_HOSTNAME)), JSON.stringify(object));

  const securePort = await freePort();
  const settings = { HOSTING_TLS_PORT: String(securePort), CERTIFICATE_KEYS: keys };
  const waypost = scope.use(await startHosting({ STORAGE_DIR: objects, ...settings }));
  const files = COMPARED_FILES.slice(0, 2);
  await takeFiles(waypost, folder, files);
  const peer = scope.use(await startNginx(nginx, folder, join(folder, 'nginx'), certificate));
  const servers: SecureServers = {
    ca: authority.ca,
    Waypost: { port: securePort, pid: waypost.pid },
    nginx: { port: peer.port, pid: peer.pid },
    plainPort: waypost.port,
  };
  yield* benchRequests(servers, files, folder, scale);
  yield* benchHandshakes(servers, scale);
}

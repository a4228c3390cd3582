/**
 * Measures HTTPS hosting beside nginx, with the same certificate and the same compressed files: requests on open connections, and
 * handshakes. Servers run on one core, and clients on the other (hosting/cores.ts).
 *
 * Handshakes are counted per second of the server's processor time, because a client on one core cannot keep nginx busy.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCH_HOSTNAME } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { COMPARED_FILES } from './hosting/compared-files.ts';
import { findTool } from './hosting/find-tool.ts';
import { publishSites } from './hosting/publish-sites.ts';
import { startNginx } from './hosting/start-nginx.ts';
import { certify } from './tls/certify.ts';
import { benchHandshakes } from './tls/handshakes.ts';
import { benchRequests, takeFiles } from './tls/requests.ts';
import type { SecureServers } from './tls/secure-servers.ts';
import { startSecureHosting } from './tls/start-secure-hosting.ts';

/** An ordinary client may make 200 handshakes a second. A trusted client has no limit. */
const NO_BOUNDS = { TRUSTED_PROXY_RANGES: '127.0.0.1' };

export async function* benchTls(scale: number): AsyncGenerator<Figure, void, undefined> {
  const nginx = findTool('nginx', 'the comparison of HTTPS with nginx');
  if (nginx === undefined) return;
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-tls-bench-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const { objects } = await publishSites(join(folder, 'objects'), 1);
  const { ca, certificate, keys } = await certify(objects, BENCH_HOSTNAME);
  const waypost = scope.use(await startSecureHosting(objects, keys, NO_BOUNDS));
  const files = COMPARED_FILES.slice(0, 2);
  await takeFiles(waypost, folder, files);
  const peer = scope.use(await startNginx(nginx, folder, join(folder, 'nginx'), certificate));
  const servers: SecureServers = {
    ca,
    Waypost: { port: waypost.securePort, pid: waypost.pid },
    nginx: { port: peer.port, pid: peer.pid },
    plainPort: waypost.port,
  };
  yield* benchRequests(servers, files, folder, scale);
  yield* benchHandshakes(servers, scale);
}

/** The API's own HTTPS, judged by testssl.sh as that of hosting is (https.peers.test.ts). */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { needs } from '../support/needs.ts';
import { SOON } from '../support/soon.ts';
import { judgeByTestssl } from './support/testssl.ts';
import { startWaypost } from './support/waypost.ts';

const HOSTNAME = 'api.localhost';
/** An authority decides these. The certificates of the local one last 45 days, and name no place that revokes them. */
const OF_THE_AUTHORITY = ['cert_expirationStatus', 'cert_notAfter', 'cert_revocation'];

test('testssl.sh finds nothing above LOW', { ...needs('testssl'), timeout: 600_000 }, async () => {
  const port = await freePort();
  await using waypost = await startWaypost({ API_HOSTNAME: HOSTNAME, API_TLS_PORT: String(port) });
  const caFile = join(waypost.dataDir, 'ca.pem');
  // Until the first certificate is there, handshakes fail.
  await vi.waitFor(async () => {
    const ca = await readFile(caFile);
    const socket = connect({ host: '127.0.0.1', port, servername: HOSTNAME, ca });
    try {
      await once(socket, 'secureConnect');
    } finally {
      socket.destroy();
    }
  }, SOON);
  const { whole, bad } = await judgeByTestssl(`${HOSTNAME}:${port}`, caFile);
  expect(whole).toBe(true);
  expect(bad.filter(({ id }) => !OF_THE_AUTHORITY.includes(id))).toEqual([]);
});

/** Reads a file over HTTPS, as a client that trusts only the local certificate authority. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';

export interface HttpsTarget {
  /** Address of the hosting server, as in https://127.0.0.1:8443. */
  readonly httpsUrl: string;
  /** PEM of the authority. */
  readonly caFile: string;
  readonly hostname: string;
  readonly path: string;
}

/** Returns the protocol, as in TLSv1.3. Throws if the certificate is not for the hostname, or the answer is not 200. */
export async function checkHttps({ httpsUrl, caFile, hostname, path }: HttpsTarget): Promise<string> {
  const { hostname: address, port } = new URL(httpsUrl);
  const asking = request({
    host: address.replace(/^\[|\]$/g, ''),
    port,
    path,
    servername: hostname,
    headers: { Host: hostname },
    ca: await readFile(caFile),
    agent: false,
  }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  await answer.resume().toArray();
  if (answer.statusCode !== 200) throw new Error(`${path} over HTTPS: HTTP ${answer.statusCode}`);
  return (answer.socket as TLSSocket).getProtocol() ?? 'TLS';
}

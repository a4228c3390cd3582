/** Makes a site with a certificate, and the honest load that asks for it over HTTPS. */
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import { MEDIUM_FILE_PATH } from '../hosting/compared-files.ts';
import { requestFor } from '../hosting/lean-connection.ts';
import { type Certified, certify } from '../tls/certify.ts';

const REQUESTS_PER_SECOND = 200;

export interface SecureSite extends Certified {
  readonly objects: string;
}

/** Gives BENCH_HOSTNAME a certificate. */
export async function secureSite(objects: string): Promise<SecureSite> {
  return { objects, ...(await certify(objects, BENCH_HOSTNAME)) };
}

export function secureLoad({ ca }: SecureSite, port: number, seconds: number) {
  const request = requestFor(BENCH_HOSTNAME, MEDIUM_FILE_PATH);
  const secure = { hostname: BENCH_HOSTNAME, ca };
  return { port, request, perSecond: REQUESTS_PER_SECOND, seconds, secure };
}

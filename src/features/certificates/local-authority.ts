/**
 * A certificate authority whose files are in the data folder, for names that no public authority knows, such as demo.localhost. Clients
 * must trust its certificate, `ca.pem`.
 */
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../../platform/process/private-file.ts';
import { newPrivateKey, readPrivateKey } from '../../platform/x509/certificate-key.ts';
import { createAuthority, issueCertificate, type OwnAuthority } from '../../platform/x509/own-authority.ts';
import type { IssuanceRequest, IssuedCertificate, Issuer } from './issuer.ts';

export const CA_FILE = 'ca.pem';
const CA_KEY_FILE = 'ca-key';

const DAY_MS = 24 * 3_600_000;
const AUTHORITY_LIFETIME_MS = 3650 * DAY_MS;
/**
 * The lifetime of a certificate. Browsers accept at most 825 days from a private authority. Public authorities will issue for 47 days at
 * most.
 */
const LIFETIME_MS = 45 * DAY_MS;
/** The time by which a certificate begins before its issue, because the clocks of some clients are behind. */
const BACKDATED_MS = 3_600_000;

export async function openLocalAuthority(folder: string, names: readonly string[]): Promise<Issuer> {
  const authority = (await readAuthority(folder)) ?? (await makeAuthority(folder, names));
  return {
    issue: (request) => issueWith(authority, request),
    renewalWindow: async () => undefined,
    room: async () => Number.POSITIVE_INFINITY,
  };
}

async function issueWith(
  authority: OwnAuthority,
  { hostname, now }: Pick<IssuanceRequest, 'hostname' | 'now'>,
): Promise<IssuedCertificate> {
  const privateKey = newPrivateKey();
  const chain = await issueCertificate(authority, {
    hostname,
    publicKey: createPublicKey(readPrivateKey(privateKey)),
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + LIFETIME_MS),
  });
  return { chain, privateKey, directory: null };
}

/** Reads the authority; returns undefined unless both files are there. */
async function readAuthority(folder: string): Promise<OwnAuthority | undefined> {
  const read = (name: string) => readPrivateFile(join(folder, name));
  const [certificate, key] = await Promise.all([read(CA_FILE), read(CA_KEY_FILE)]);
  return certificate && key ? { certificate, privateKey: Buffer.from(key, 'base64') } : undefined;
}

async function makeAuthority(folder: string, names: readonly string[]): Promise<OwnAuthority> {
  const now = Date.now();
  const lifetime = {
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + AUTHORITY_LIFETIME_MS),
  };
  const authority = await createAuthority('Waypost on this machine', names, lifetime);
  // Write the key first: a certificate without its key is of no use.
  const key = Buffer.from(authority.privateKey).toString('base64');
  await writePrivateFile(join(folder, CA_KEY_FILE), `${key}\n`);
  await writePrivateFile(join(folder, CA_FILE), authority.certificate);
  return authority;
}

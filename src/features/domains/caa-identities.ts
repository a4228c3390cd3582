/**
 * The names of certificate authorities in CAA records, by the host of their ACME directory. Only the advice on DNS records depends on this
 * list: before an order, we ask the directory itself.
 */
import { isBelow } from '../../platform/dns/dns-name.ts';

const BY_HOST: readonly (readonly [host: string, identity: string])[] = [
  ['api.letsencrypt.org', 'letsencrypt.org'],
  ['acme.zerossl.com', 'sectigo.com'],
  ['acme.sectigo.com', 'sectigo.com'],
  ['pki.goog', 'pki.goog'],
  ['api.buypass.com', 'buypass.com'],
  ['acme.ssl.com', 'ssl.com'],
];

/** Returns the names of authorities in CAA records. Empty if one of the directories is not known. */
export function caaIdentitiesOf(directories: readonly string[]): readonly string[] {
  const found = directories.map((directory) => {
    const { hostname } = new URL(directory);
    return BY_HOST.find(([host]) => isBelow(hostname, host))?.[1];
  });
  return found.every((identity) => identity !== undefined) ? [...new Set(found)] : [];
}

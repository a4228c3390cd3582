/**
 * The addresses of Cloudflare, the most common proxy in front of customers' hostnames, as published at
 * cloudflare.com/ips.
 */
import { addressRanges } from '../../platform/http/client-address.ts';
import type { ShownRecord } from './diagnosis.ts';

/** The list has not changed since 2021. If it changes, only the advice for proxied hostnames gets less exact. */
export const isOfCloudflare = addressRanges([
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '108.162.192.0/18',
  '131.0.72.0/22',
  '141.101.64.0/18',
  '162.158.0.0/15',
  '172.64.0.0/13',
  '173.245.48.0/20',
  '188.114.96.0/20',
  '190.93.240.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '2400:cb00::/32',
  '2405:8100::/32',
  '2405:b500::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
]);

/** Whether Cloudflare shows its addresses in place of the CNAME record of this hostname. */
export function isProxied(hostname: string, found: readonly ShownRecord[]): boolean {
  if (found.some(({ type, name }) => type === 'CNAME' && name === hostname)) return false;
  return found.some(({ type, value }) => (type === 'A' || type === 'AAAA') && isOfCloudflare(value));
}

import { expect, test } from 'vitest';
import { findProvider } from '../../src/features/domains/dns-providers.ts';

test.each([
  [['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'], 'Cloudflare'],
  [['ns-1536.awsdns-00.co.uk', 'ns-0.awsdns-00.com'], 'Amazon Route 53'],
  [['ns11.domaincontrol.com', 'ns12.domaincontrol.com'], 'GoDaddy'],
  [['dns1.registrar-servers.com', 'dns2.registrar-servers.com'], 'Namecheap'],
  [['ns1045.ui-dns.de', 'ns1106.ui-dns.org'], 'IONOS'],
  [['hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com', 'helium.ns.hetzner.de'], 'Hetzner'],
  [['dns200.anycast.me', 'ns200.anycast.me'], 'OVHcloud'],
  [['dns13.ovh.net', 'ns13.ovh.net'], 'OVHcloud'],
  [['ns-cloud-a1.googledomains.com', 'ns-cloud-a2.googledomains.com'], 'Google Cloud DNS'],
  [['ns1.googledomains.com'], 'Squarespace'],
  [['ns1.digitalocean.com'], 'DigitalOcean'],
  [['ns1-05.azure-dns.com', 'ns2-05.azure-dns.net'], 'Azure DNS'],
  [['ns1.vercel-dns.com'], 'Vercel'],
  [['dns1.p01.nsone.net'], 'Netlify'],
  [['ns-1-a.gandi.net', 'ns-2-b.gandi.net'], 'Gandi'],
  [['docks01.rzone.de', 'shades01.rzone.de'], 'STRATO'],
])('%j are of %s', (nameServers, name) => {
  const provider = findProvider(nameServers);
  expect(provider?.name).toBe(name);
  expect(new URL(provider!.url).protocol).toBe('https:');
});

test.each([
  [[]],
  [['ns1.example.com']],
  [['ada.ns.cloudflare.com', 'ns1.example.com']],
  [['evilns.cloudflare.com.example']],
])('%j are of nobody that we know', (nameServers) => expect(findProvider(nameServers)).toBeUndefined());

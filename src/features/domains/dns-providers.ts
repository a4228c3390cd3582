/**
 * Recognises the DNS provider of a zone by its name servers, as the providers publish them. If a provider changes its name servers, pages
 * only lack a link.
 */
import { isBelow } from '../../platform/dns/dns-name.ts';

export interface DnsProvider {
  readonly name: string;
  /** The page where customers of the provider edit their DNS records. */
  readonly url: string;
}

type Known = DnsProvider & { readonly servers: readonly (string | RegExp)[] };

/** A string in `servers` is a name. It matches the name itself and all names below it. */
const PROVIDERS: readonly Known[] = [
  {
    name: 'Cloudflare',
    url: 'https://dash.cloudflare.com/?to=/:account/:zone/dns/records',
    servers: ['ns.cloudflare.com', 'foundationdns.com', 'foundationdns.net', 'foundationdns.org'],
  },
  {
    name: 'Amazon Route 53',
    url: 'https://console.aws.amazon.com/route53/v2/hostedzones',
    servers: [/^ns-\d+\.awsdns-\d+\.(?:com|net|org|co\.uk)$/],
  },
  {
    name: 'GoDaddy',
    url: 'https://dcc.godaddy.com/control/portfolio',
    servers: ['domaincontrol.com'],
  },
  {
    name: 'Namecheap',
    url: 'https://ap.www.namecheap.com/domains/list/',
    servers: ['registrar-servers.com', 'namecheaphosting.com'],
  },
  {
    name: 'IONOS',
    url: 'https://my.ionos.com/domains',
    servers: ['ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz'],
  },
  {
    name: 'Hetzner',
    url: 'https://console.hetzner.com/',
    servers: [
      'ns.hetzner.com',
      'ns.hetzner.de',
      'first-ns.de',
      'second-ns.com',
      'second-ns.de',
      'your-server.de',
    ],
  },
  {
    name: 'OVHcloud',
    url: 'https://www.ovh.com/manager/#/web/zone',
    servers: ['ovh.net', 'anycast.me', 'ovh.ca'],
  },
  {
    name: 'Squarespace',
    url: 'https://account.squarespace.com/domains',
    servers: ['googledomains.com', 'squarespacedns.com'],
  },
  {
    name: 'Google Cloud DNS',
    url: 'https://console.cloud.google.com/net-services/dns/zones',
    servers: [/^ns-cloud-[a-e]\d\.googledomains\.com$/],
  },
  {
    name: 'DigitalOcean',
    url: 'https://cloud.digitalocean.com/networking/domains',
    servers: ['digitalocean.com'],
  },
  {
    name: 'Azure DNS',
    url: 'https://portal.azure.com/#browse/Microsoft.Network%2FdnsZones',
    servers: ['azure-dns.com', 'azure-dns.net', 'azure-dns.org', 'azure-dns.info'],
  },
  { name: 'Vercel', url: 'https://vercel.com/dashboard/domains', servers: ['vercel-dns.com'] },
  { name: 'Netlify', url: 'https://app.netlify.com/', servers: [/^dns[1-4]\.p\d\d\.nsone\.net$/] },
  { name: 'Gandi', url: 'https://admin.gandi.net/domain', servers: ['gandi.net'] },
  {
    name: 'STRATO',
    url: 'https://www.strato.de/apps/CustomerService',
    servers: ['rzone.de', 'strato.de', 'strato-hosting.eu'],
  },
  { name: 'Porkbun', url: 'https://porkbun.com/account/domainsSpeedy', servers: ['porkbun.com'] },
  { name: 'DNSimple', url: 'https://dnsimple.com/dashboard', servers: ['dnsimple.com', 'dnsimple-edge.net'] },
  {
    name: 'Wix',
    url: 'https://manage.wix.com/account/domains',
    servers: ['wixdns.net'],
  },
  { name: 'Hover', url: 'https://www.hover.com/control_panel', servers: ['hover.com'] },
  { name: 'Hostinger', url: 'https://hpanel.hostinger.com/domains', servers: ['dns-parking.com'] },
  { name: 'Akamai', url: 'https://cloud.linode.com/domains', servers: ['linode.com', 'akam.net'] },
  { name: 'Bunny DNS', url: 'https://dash.bunny.net/dns', servers: ['bunny.net'] },
  { name: 'INWX', url: 'https://www.inwx.com/en/nameserver2', servers: ['inwx.de', 'inwx.eu', 'inwx.com'] },
  {
    name: 'united-domains',
    url: 'https://www.united-domains.de/portfolio/',
    servers: ['udag.de', 'udagdns.de'],
  },
];

/** Finds the provider of these name servers. Undefined if we do not know it, or if there are several. */
export function findProvider(nameServers: readonly string[]): DnsProvider | undefined {
  const [first, ...others] = new Set(nameServers.map(ownerOf));
  if (first === undefined || others.length > 0) return undefined;
  return { name: first.name, url: first.url };
}

/**
 * Returns the provider of a name server. Patterns are compared before names, because Google Cloud DNS has names below the name of Google
 * Domains.
 */
function ownerOf(server: string): Known | undefined {
  const isOf = (known: Known, pattern: 'exact' | 'below') =>
    known.servers.some((one) =>
      typeof one === 'string'
        ? pattern === 'below' && isBelow(server, one)
        : pattern === 'exact' && one.test(server),
    );
  return PROVIDERS.find((known) => isOf(known, 'exact')) ?? PROVIDERS.find((known) => isOf(known, 'below'));
}

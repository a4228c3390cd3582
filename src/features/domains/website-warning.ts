/** Warns when a hostname seems to have a website, because pointing its records at us takes the website off the internet. */
import { parse } from 'tldts';
import type { Diagnosis } from './diagnosis.ts';
import { shownText } from './shown-text.ts';

/** First labels of names that websites have. */
const WEBSITE_LABELS = ['www', 'www1', 'www2', 'm', 'mobile', 'shop', 'store', 'blog', 'news', 'app', 'web'];

/** Returns whether the hostname is a typical name of a website: a registered name itself, or a name like `www` below it. */
export function isWebsiteName(hostname: string): boolean {
  const { domain, subdomain, isIcann, isPrivate } = parse(hostname, { allowPrivateDomains: true });
  // A name outside the public DNS, such as demo.localhost, has no public website.
  if (!isIcann && !isPrivate) return false;
  return domain === hostname || WEBSITE_LABELS.includes(subdomain ?? '');
}

/** Returns a name for sitemaps beside the hostname. Null if the hostname is a public suffix. */
export function freeName(hostname: string): string | null {
  const { domain } = parse(hostname, { allowPrivateDomains: true });
  if (domain === null) return null;
  return hostname === `sitemaps.${domain}` ? `maps.${domain}` : `sitemaps.${domain}`;
}

/** The advice for a hostname that may have a website. The advice is never to change the records of that hostname. */
export function leaveItAlone(hostname: string, addresses: readonly string[]): string {
  const [address] = addresses;
  const reason =
    address === undefined
      ? `${hostname} looks like the name of your website.`
      : `This looks like your website: ${hostname} is live at ${shownText(address)}.`;
  const name = freeName(hostname);
  return `${reason} Don't change its DNS.${name === null ? '' : ` Use a name of its own for sitemaps, such as ${name}.`}`;
}

/** Returns the warning; undefined if the name seems free. `diagnosis`: undefined if DNS gave no answer in time. */
export function websiteWarning(hostname: string, diagnosis: Diagnosis | undefined): string | undefined {
  if (diagnosis?.verdict === 'right' || diagnosis?.addresses.areOurs) return undefined;
  const addresses = diagnosis?.addresses.found ?? [];
  if (addresses.length === 0 && !isWebsiteName(hostname)) return undefined;
  if (diagnosis?.judgement.state === 'wildcard') return undefined;
  return leaveItAlone(hostname, addresses);
}

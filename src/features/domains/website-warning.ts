/** Warns when a hostname seems to have a website, because pointing its records at us takes the website off the internet. */
import { parse } from 'tldts';
import type { Diagnosis } from './diagnosis.ts';
import { shownText } from './shown-text.ts';

/** Names a free hostname, as the end of a sentence that begins with "register". */
export function freeName(hostname: string): string {
  const { domain } = parse(hostname, { allowPrivateDomains: true });
  if (domain === null) return 'a name that nothing uses';
  const names = [`sitemaps.${domain}`, `maps.${domain}`];
  return `a name that nothing uses, such as ${names.find((name) => name !== hostname)}`;
}

/** `diagnosis` is undefined if DNS gave no answer in time. Returns undefined if the name seems free. */
export function websiteWarning(hostname: string, diagnosis: Diagnosis | undefined): string | undefined {
  const reason = reasonFor(hostname, diagnosis);
  if (reason === undefined) return undefined;
  const cure = `If it has a website, leave its DNS records alone, and register ${freeName(hostname)}.`;
  return `${reason} ${cure}`;
}

function reasonFor(hostname: string, diagnosis: Diagnosis | undefined): string | undefined {
  if (diagnosis?.verdict === 'right' || diagnosis?.addresses.areOurs) return undefined;
  const [address] = diagnosis?.addresses.found ?? [];
  if (address !== undefined) return `${hostname} leads to ${shownText(address)} already.`;
  const { domain, subdomain, isIcann, isPrivate } = parse(hostname, { allowPrivateDomains: true });
  // A name outside the public DNS, such as demo.localhost, has no public website.
  if (!isIcann && !isPrivate) return undefined;
  if (domain === hostname) return `${hostname} is the name that websites and mail of a domain have.`;
  if (subdomain === 'www') return `${hostname} is a name that websites have.`;
  return undefined;
}

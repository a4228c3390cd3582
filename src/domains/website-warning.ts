/**
 * Warns before a hostname that seems to have a website is pointed at us: whoever changes its records takes the website off the
 * internet.
 */
import { parse } from 'tldts';
import type { Diagnosis } from './diagnosis.ts';
import { shownText } from './shown-text.ts';

/** What to do, as an end of a sentence: "register …". */
export function freeName(hostname: string): string {
  const { domain } = parse(hostname, { allowPrivateDomains: true });
  if (domain === null) return 'a name that nothing uses';
  const names = [`sitemaps.${domain}`, `maps.${domain}`];
  return `a name that nothing uses, such as ${names.find((name) => name !== hostname)}`;
}

/** `diagnosis`: undefined if DNS gave no answer in time. Undefined: the name seems free. */
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
  // Such as demo.localhost: nobody has a website there.
  if (!isIcann && !isPrivate) return undefined;
  if (domain === hostname) return `${hostname} is the name that websites and mail of a domain have.`;
  if (subdomain === 'www') return `${hostname} is a name that websites have.`;
  return undefined;
}

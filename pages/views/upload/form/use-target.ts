/** The domain and the sitemap to which the URLs go. People choose both, unless a JSON document names them itself. */
import { useQuery } from '@tanstack/preact-query';
import { domainsQuery } from '../../../api/queries.ts';
import type { UploadForm } from '../file-form.ts';
import type { ChosenDomain, Settings } from '../settings.ts';

export interface Target {
  /** Undefined: nothing is chosen yet, or the document names a domain that the page does not know. */
  readonly domain: ChosenDomain | undefined;
  /** The hostname of the domain. Undefined if only the document names it, behind its beginning. */
  readonly hostname: string | undefined;
  /** Empty: the unnamed sitemap of the domain. */
  readonly sitemapName: string;
}

/** `document`: the members of a JSON document other than its entries. */
export function useTarget(
  { domain, isDomainInFile, sitemapName }: Settings,
  form: UploadForm | undefined,
  document: Readonly<Record<string, unknown>>,
): Target {
  const isInFile = form === 'json' && isDomainInFile;
  const named = isInFile ? textOf(document.domain) : '';
  // The document may spell the hostname with capitals, or with umlauts.
  const hostname = URL.parse(`https://${named}`)?.hostname.replace(/\.$/, '');
  const { data } = useQuery({ ...domainsQuery(hostname), enabled: hostname !== undefined });
  return {
    domain: isInFile ? data?.rows.find((row) => row.hostname === hostname) : domain,
    hostname: isInFile ? hostname : domain?.hostname,
    sitemapName: sitemapName || textOf(document.sitemapName),
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

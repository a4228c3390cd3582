/** Says in words which URLs the sitemap of recent changes has. */
import type { DomainDetails } from '../../../client/src/answers.ts';

export function recentSentence({ hours, urlCount, leftOut }: DomainDetails['recent']): string {
  const window = hours === 1 ? 'the last hour' : `the last ${hours} hours`;
  const has =
    urlCount === 0
      ? `/sitemap-recent.xml comes with the next change, and has those of ${window}.`
      : `/sitemap-recent.xml has ${urlCount.toLocaleString('en')} ${urlCount === 1 ? 'URL' : 'URLs'} of ${window}.`;
  if (leftOut.length === 0) return has;
  const names = leftOut.slice(0, 3).map(({ sitemapName }) => sitemapName);
  const others = leftOut.length > names.length ? ` and ${leftOut.length - names.length} more` : '';
  return `${has} Earlier changes of ${names.join(', ')}${others} are left out.`;
}

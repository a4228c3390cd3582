/** Says in words which uploads the guard of a domain holds. */

export function guardSentence(maxRemovedPercent: number | null): string {
  if (maxRemovedPercent === null) return 'Every upload is published, whatever it removes.';
  if (maxRemovedPercent === 0) return `An upload that makes a sitemap smaller is held. ${SMALL}`;
  if (maxRemovedPercent === 100) return 'No upload is held, because a sitemap may lose all of its URLs.';
  return `An upload that removes more than ${maxRemovedPercent}% of the URLs of a sitemap is held. ${SMALL}`;
}

const SMALL = 'Sitemaps of up to 1,000 URLs are not guarded.';

const WHOLE_NUMBER = /^\d{1,3}$/;

/** Returns the percentage; undefined unless `text` is a whole number from 0 to 100. */
export function parsePercent(text: string): number | undefined {
  const given = text.trim();
  return WHOLE_NUMBER.test(given) && Number(given) <= 100 ? Number(given) : undefined;
}

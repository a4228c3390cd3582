/**
 * Dates of entries: the two forms of W3C Datetime (a profile of ISO 8601) that the sitemap XSDs accept.
 * Dates are checked and written as given. Nothing here converts them.
 */

const DATE = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/;
const TIME = /T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?/;
// XSD's dateTime allows offsets up to 14:00, the easternmost zone.
const ZONE = /(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))/;
const DATE_OR_DATETIME = new RegExp(`${DATE.source}(?:${TIME.source}${ZONE.source})?$`);

/** Whether the text is `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss[.fraction]` with a zone. The day must exist. */
export function isSitemapDate(text: string): boolean {
  if (!DATE_OR_DATETIME.test(text)) return false;
  const day = Number(text.slice(8, 10));
  // Date takes a day that the month lacks as a day of the next month.
  return day <= 28 || new Date(text.slice(0, 10)).getUTCDate() === day;
}

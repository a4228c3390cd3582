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
  return day <= 28 || day <= daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

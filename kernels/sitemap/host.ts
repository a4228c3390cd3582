/**
 * Imports from the host program, src/core/sitemap/entry-transcoder.ts. The host judges rare values, and values that the kernel then
 * remembers.
 */

/** From src/core/sitemap/limits.ts, relative-url.ts and entry-size.ts. */
export declare const MIN_LOC_LENGTH: i32;
export declare const MAX_URL_LENGTH: i32;
export declare const MAX_BASE_URL_LENGTH: i32;
export declare const MAX_ENTRY_XML_BYTES: i32;
/** From src/core/sitemap/namespaces.ts. */
export declare const NEWS_NAMESPACE: i32;

/**
 * Writes the scheme, host and port of a URL to `to`, as we write them. Returns their length, at most 3 times as long as
 * given, or 0 if they are not acceptable.
 */
export declare function normaliseOrigin(from: i32, end: i32, to: i32): i32;

/** Whether this is a code of the kind: LANGUAGE_TAG, NEWS_LANGUAGE or STOCK_TICKERS. */
export declare function isCode(kind: i32, from: i32, end: i32): bool;

/**
 * Writes a JSON number to `to`, as a plain decimal. Returns its length, at most MAX_NUMBER_LENGTH, or 0 if the number is not acceptable.
 */
export declare function formatNumber(isInteger: bool, min: f64, max: f64, from: i32, end: i32, to: i32): i32;

/**
 * Reads a date in a spelling that the kernel does not know, by the reading (src/core/sitemap/wide-dates.ts), and writes it to `to`. Returns
 * 0 if it is no date. Otherwise, the lowest READ_LENGTH_BITS have the length, the next READ_KIND_BITS the kind, and one more bit says
 * whether the zone comes from the reading.
 */
export declare function readDate(from: i32, end: i32, isNumber: bool, to: i32): i32;

/**
 * Returns the offset of the reading's zone on a local day, in minutes; NO_OFFSET if the day has none, or several. `day`: in days since
 * 1970.
 */
export declare function offsetOfDay(day: i32): i32;

/**
 * Writes the URL with the base of the reading before it to `to`. Returns the length of the result, or 0 if the URL needs no base, or
 * takes none.
 */
export declare function joinBase(from: i32, end: i32, to: i32): i32;

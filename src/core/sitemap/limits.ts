/**
 * The limits of the sitemap format: how much fits into a file, and how long a field may be.
 * Sources: sitemaps.org protocol and its XSDs, Google's image, news and video documentation.
 */

/** Entries per file for each `sizeLimit` of an upload. All are multiples of 1,000, the size of a fragment. */
export const ENTRIES_PER_FILE = { 'gsc-optimized': 1_000, balanced: 10_000, standard: 50_000 } as const;
export type SizeLimit = keyof typeof ENTRIES_PER_FILE;

/** 50 MiB, uncompressed, with header and footer (sitemaps.org, as Google reads it). */
export const MAX_FILE_XML_BYTES = 52_428_800;
/** Google: "up to 1,000 news:news tags" in one file. */
export const MAX_FILE_NEWS_ENTRIES = 1_000;
/** sitemaps.org: at most 50,000 sitemaps in an index. */
export const MAX_FILES_PER_INDEX = 50_000;

/** The most code points of a URL as given, and the most characters as we write it before `&` is escaped (XSD `tLoc` maxLength). */
export const MAX_URL_LENGTH = 2_048;
/** XSD `tLoc` minLength: the shortest `loc` is like "http://a.co/". */
export const MIN_LOC_LENGTH = 12;

export const MAX_IMAGES = 1_000;
export const MAX_ALTERNATES = 1_000;
export const MAX_VIDEO_TAGS = 32;
export const MAX_STOCK_TICKERS = 5;
/** Seconds: eight hours. */
export const MAX_VIDEO_DURATION_S = 28_800;
export const MAX_VIDEO_RATING = 5;
/** XSD requires readers of xs:decimal to take 18 digits. libxml2 refuses more than 24 decimal places. */
export const MAX_DECIMAL_PLACES = 24;

// Lengths of texts, in code points.
export const MAX_VIDEO_TITLE_LENGTH = 100;
export const MAX_VIDEO_DESCRIPTION_LENGTH = 2_048;
export const MAX_VIDEO_CATEGORY_LENGTH = 256;
export const MAX_UPLOADER_NAME_LENGTH = 255;
/** The limit of every text for which the format has none. */
export const MAX_TEXT_LENGTH = 10_000;

/** What the host gives. It is asked once for each host and language, of which an upload has few. */

/** Of ../limits.ts. */
export declare const MIN_LOC_LENGTH: i32;
export declare const MAX_URL_LENGTH: i32;
export declare const MAX_TEXT_LENGTH: i32;

/** Whether these bytes of JSON are a scheme, host and port behind which a plain path makes a URL as it is. */
export declare function isOrdinaryOrigin(from: i32, to: i32): bool;

export declare function isLanguageTag(from: i32, to: i32): bool;

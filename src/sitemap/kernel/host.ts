/** Imports from the host program. The kernel calls it once for each URL host and language, and an upload has few. */

/** From ../limits.ts. */
export declare const MIN_LOC_LENGTH: i32;
export declare const MAX_URL_LENGTH: i32;
export declare const MAX_TEXT_LENGTH: i32;

/** Whether these bytes of JSON are a scheme, host and port that need no change, whatever plain path follows. */
export declare function isOrdinaryOrigin(from: i32, to: i32): bool;

export declare function isLanguageTag(from: i32, to: i32): bool;

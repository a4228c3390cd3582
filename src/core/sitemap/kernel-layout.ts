/**
 * The tables by which the kernel reads and writes entries. The host (kernel-tables.ts) makes them from the schema, so no member and no limit
 * is stated twice. Offsets and sizes are in bytes. All fields are i32, except where the table says otherwise. AssemblyScript reads this file
 * too.
 *
 * ```
 * shape    an object:   COUNT  REQUIRED  ANY_OF  NAMESPACE  OPEN  CLOSE  BUCKETS[17]   then its members
 * member   of a shape:  NAME (16 bytes, zeros behind it)   NEXT   then its value
 * value    any value:   KIND  OPEN  CLOSE  OF   MIN (f64)  MAX (f64)
 * text     fixed bytes: length, then from TEXT_BYTES on the bytes, with room for whole vectors
 * words    allowed:     count, then from WORDS_FIRST on each word (16 bytes, zeros behind it)
 * ```
 * OPEN and CLOSE point to texts, the XML before and after. Members are in the order of the XML.
 */

export const SHAPE_COUNT = 0;
/** Bit n stands for member n. */
export const SHAPE_REQUIRED = 4;
/** Bits of members. An object needs at least one of these members. If no bit is set, there is no such rule. */
export const SHAPE_ANY_OF = 8;
/** The bit of the namespace that the object's XML uses. */
export const SHAPE_NAMESPACE = 12;
export const SHAPE_OPEN = 16;
export const SHAPE_CLOSE = 20;
/** For each length of a name, a u8: 1 + the index of the first member with a name of that length, or 0. */
export const SHAPE_BUCKETS = 24;
export const SHAPE_MEMBERS = 48;

export const MAX_NAME_LENGTH = 16;
export const MEMBER_NAME = 0;
/** 1 + the index of the next member with a name of the same length, or 0. */
export const MEMBER_NEXT = 16;
export const MEMBER_VALUE = 24;
export const MEMBER_SIZE = 64;

export const VALUE_KIND = 0;
export const VALUE_OPEN = 4;
export const VALUE_CLOSE = 8;
/** OBJECT: its shape. LIST: the value of each element. WORD: the allowed words. */
export const VALUE_OF = 12;
/** The least and the greatest value of a number, or number of code points of a text. A list has only a MAX: its most elements. */
export const VALUE_MIN = 16;
export const VALUE_MAX = 24;
export const VALUE_SIZE = 32;

export const TEXT_BYTES = 16;

export const WORDS_FIRST = 16;
export const WORD_SIZE = 16;

/** Kinds of values. */
export const URL = 0;
export const TEXT = 1;
export const DATE = 2;
export const WORD = 3;
export const DECIMAL = 4;
export const INTEGER = 5;
export const BOOLEAN = 6;
export const LANGUAGE_TAG = 7;
export const NEWS_LANGUAGE = 8;
export const STOCK_TICKERS = 9;
export const OBJECT = 10;
export const LIST = 11;

/** A column of CSV is an i32: the place of its member in the shape of entries, or IGNORED. */
export const IGNORED = -1;
/** Flags of the spelling of cells. */
export const HAS_ESCAPES = 1;
/** A quote inside of an unquoted cell is a fault. */
export const HAS_STRAY_QUOTES = 2;
/** A cell may be in quotes. */
export const HAS_QUOTES = 4;

/** How a date was spelt: bits of DATE_KINDS (`reading.ts`). */
export const ZONED = 1;
export const ZONELESS = 2;
/**
 * A date that the host has read, in bits from the lowest: READ_LENGTH_BITS for its length, READ_KIND_BITS for its kind, and a bit that says
 * whether the date got its zone from the reading.
 */
export const READ_LENGTH_BITS = 8;
export const READ_KIND_BITS = 8;
/** Stands for the offset of a day that has no single offset (`TimeZone.offsetOfDay`). */
export const NO_OFFSET = 100_000;

/**
 * The hashes of an entry, which outlive the kernel (`features/sites/file-hashes.ts`), little-endian: u64 of its `loc`, then
 * 31 bits of the rest of its XML, as u32.
 */
export const HASHES_BYTES = 12;
/** The most entries between two calls of `take`. */
export const MAX_TAKEN_ENTRIES = 1000;

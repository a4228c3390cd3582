/**
 * Faults to put into the WebAssembly, one at a time. The judges must find each. A new rule there needs a mutation here, to show that a
 * judge sees the rule.
 */
export interface Mutation {
  /** The effect of the fault. */
  readonly fault: string;
  /** The path in kernels/. */
  readonly file: string;
  /** A part of the source that occurs exactly once. */
  readonly find: string;
  readonly replacement: string;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    fault: 'a month 13',
    file: 'sitemap/dates.ts',
    find: 'isWithin(month, 1, 12)',
    replacement: 'isWithin(month, 1, 13)',
  },
  {
    fault: 'a day 0',
    file: 'sitemap/dates.ts',
    find: 'isWithin(day, 1, day <= 28',
    replacement: 'isWithin(day, 0, day <= 28',
  },
  {
    fault: 'a 29th of February in 1900',
    file: 'sitemap/dates.ts',
    find: '(year % 4 === 0 && year % 100 !== 0)',
    replacement: 'year % 4 === 0',
  },
  { fault: 'a 31st of April', file: 'sitemap/dates.ts', find: 'month === 4 || ', replacement: '' },
  {
    fault: 'ten digits of a fraction',
    file: 'sitemap/dates.ts',
    find: 'MAX_FRACTION_DIGITS: i32 = 9',
    replacement: 'MAX_FRACTION_DIGITS: i32 = 10',
  },
  {
    fault: 'an offset of 14:30',
    file: 'sitemap/dates.ts',
    find: 'hours === 14 && minutes === 0',
    replacement: 'hours === 14 && minutes < 60',
  },
  {
    fault: 'zeros at the end of a number stay',
    file: 'sitemap/numbers.ts',
    find: 'for (end = i; load<u8>(end - 1) === ZERO; ) end--;',
    replacement: 'end = i;',
  },
  {
    fault: 'a number of 17 digits stays as given',
    file: 'sitemap/numbers.ts',
    find: 'EXACT_DIGITS: i32 = 15',
    replacement: 'EXACT_DIGITS: i32 = 18',
  },
  {
    fault: 'a number of 17 digits that another is nearer to than its own double',
    file: 'sitemap/numbers.ts',
    find: 'return isNearest && isNeeded',
    replacement: 'return isNeeded',
  },
  {
    fault: 'a number whose last digit could be rounded up',
    file: 'sitemap/numbers.ts',
    find: ' && 2 * ((10 - last) * step + difference) > scale',
    replacement: '',
  },
  {
    fault: 'a whole number that begins with 0',
    file: 'sitemap/numbers.ts',
    find: '(load<u8>(at) !== ZERO || end === at + 1)',
    replacement: 'true',
  },
  {
    fault: 'an exponent is no part of the number',
    file: 'sitemap/numbers.ts',
    find: 'byte === POINT || (byte | 0x20) === LETTER_E || isDigit(at)',
    replacement: 'byte === POINT || isDigit(at)',
  },
  {
    fault: 'a number above the limit by its fraction',
    file: 'sitemap/numbers.ts',
    find: '<f64>whole === max && end > at + 1',
    replacement: 'false',
  },
  {
    fault: 'a low half of a surrogate pair comes first',
    file: 'sitemap/strings.ts',
    find: 'code >= 0xdc00 || ',
    replacement: '',
  },
  {
    fault: 'a control character in a string',
    file: 'sitemap/strings.ts',
    find: 'i8x16.lt_u(bytes, i8x16.splat(0x20))',
    replacement: 'i8x16.lt_u(bytes, i8x16.splat(0x1f))',
  },
  {
    fault: 'U+0800 takes two bytes',
    file: 'sitemap/strings.ts',
    find: 'code < 0x800',
    replacement: 'code < 0x801',
  },
  {
    fault: '\\\\r becomes a line feed',
    file: 'sitemap/strings.ts',
    find: 'return 0x0d;',
    replacement: 'return 0x0a;',
  },
  {
    fault: 'a carriage return is not escaped',
    file: 'sitemap/texts.ts',
    find: "setBytes(SPECIAL, '&<>\"\\'\\r');",
    replacement: "setBytes(SPECIAL, '&<>\"\\'');",
  },
  {
    fault: 'a length is counted in bytes',
    file: 'sitemap/texts.ts',
    find: 'i8x16.splat(<i8>0xc0)',
    replacement: 'i8x16.splat(<i8>0x80)',
  },
  {
    fault: 'a tenth digit of a fraction',
    file: 'sitemap/wide-dates.ts',
    find: 'min<i32>(i - digits, MAX_FRACTION_DIGITS)',
    replacement: 'i - digits',
  },
  {
    fault: 'an offset of 14:30',
    file: 'sitemap/wide-dates.ts',
    find: '(hours === 14 && minutes === 0)',
    replacement: 'hours === 14',
  },
  {
    fault: 'the offset of another day',
    file: 'sitemap/wide-dates.ts',
    find: 'if (load<i32>(place) === day + TAG) return',
    replacement: 'if (load<i32>(place) !== 0) return',
  },
  {
    fault: 'times that got a zone are counted for entries that are left',
    file: 'sitemap/wide-dates.ts',
    find: '  newZoned = newKinds = 0;',
    replacement: '  newKinds = 0;',
  },
  {
    fault: 'U+FFFE in UTF-8',
    file: 'sitemap/texts.ts',
    find: 'i8x16.splat(<i8>0xbe)',
    replacement: 'i8x16.splat(<i8>0xbf)',
  },
  {
    fault: 'a second # stays',
    file: 'sitemap/urls.ts',
    find: 'const isKept = byte === AMPERSAND',
    replacement: 'const isKept = byte === NUMBER_SIGN || byte === AMPERSAND',
  },
  {
    fault: 'a % before one digit',
    file: 'sitemap/urls.ts',
    find: '(hexValue(at + 1) | hexValue(at + 2)) >= 0',
    replacement: 'hexValue(at + 1) >= 0',
  },
  {
    fault: 'U+007F in a URL',
    file: 'sitemap/urls.ts',
    find: 'byte < SPACE || byte === DELETE',
    replacement: 'byte < SPACE',
  },
  {
    fault: 'U+0090 in a URL',
    file: 'sitemap/urls.ts',
    find: 'load<u8>(at + 1) < 0xa0',
    replacement: 'load<u8>(at + 1) < 0x90',
  },
  {
    fault: 'an ideographic space at the end of a URL',
    file: 'sitemap/urls.ts',
    find: 'third === 0xe38080 ||',
    replacement: '',
  },
  {
    fault: 'white space that vanishes from a host',
    file: 'sitemap/urls.ts',
    find: 'to === LEFT || endsInSpace(end)',
    replacement: 'to === LEFT',
  },
  {
    fault: 'a loc that is too short',
    file: 'sitemap/urls.ts',
    find: 'length <= MAX_URL_LENGTH && <f64>length >= minLength',
    replacement: 'length <= MAX_URL_LENGTH',
  },
  {
    fault: 'no slash for a short URL',
    file: 'sitemap/urls.ts',
    find: 'after - to < MIN_LOC_LENGTH',
    replacement: 'after - to < 0',
  },
  {
    fault: 'a known host at the beginning of another one',
    file: 'sitemap/origins.ts',
    find: 'isEnd(load<u8>(at + length)) && equals',
    replacement: 'equals',
  },
  {
    fault: 'a label of 64 characters',
    file: 'sitemap/origins.ts',
    find: 'MAX_ORDINARY_LABEL: i32 = 40',
    replacement: 'MAX_ORDINARY_LABEL: i32 = 64',
  },
  {
    fault: '& in a host is not escaped',
    file: 'sitemap/origins.ts',
    find: 'load<u8>(i) === AMPERSAND || ',
    replacement: '',
  },
  {
    fault: 'a language of news in upper case',
    file: 'sitemap/codes.ts',
    find: 'load<u8>(i) | 0x20',
    replacement: 'load<u8>(i)',
  },
  {
    fault: 'a language tag is a language of news',
    file: 'sitemap/codes.ts',
    find: '(kind << 8) | length',
    replacement: 'length | 256',
  },
  {
    fault: 'a refused value counts as absent',
    file: 'sitemap/objects.ts',
    find: 'refused !== 0 || ',
    replacement: '',
  },
  {
    fault: 'a video without content_loc and player_loc',
    file: 'sitemap/objects.ts',
    find: ' || (anyOf !== 0 && (present & anyOf) === 0)',
    replacement: '',
  },
  {
    fault: 'null counts as present',
    file: 'sitemap/objects.ts',
    find: 'present &= ~bit;',
    replacement: '',
  },
  {
    fault: 'one element too many',
    file: 'sitemap/objects.ts',
    find: 'left > 0',
    replacement: 'left >= 0',
  },
  {
    fault: 'a name of the same length',
    file: 'sitemap/objects.ts',
    find: 'if (i8x16.all_true(i8x16.eq(bytes, v128.load(member, MEMBER_NAME)))) return index;',
    replacement: 'return index;',
  },
  {
    fault: 'a malformed escape in an unknown member',
    file: 'sitemap/skip.ts',
    find: 'fourHexDigits(at + 1) < 0 ? 0 : 6',
    replacement: '6',
  },
  {
    fault: 'a form feed as white space',
    file: 'sitemap/skip.ts',
    find: 'i8x16.eq(bytes, i8x16.splat(0x0d))',
    replacement: 'i8x16.eq(bytes, i8x16.splat(0x0c))',
  },
  {
    fault: 'a slot that keeps the value of an earlier entry',
    file: 'sitemap/slots.ts',
    find: 'v128.store(SLOTS + slot * SLOT_SIZE, i64x2.splat(0))',
    replacement: 'v128.load(SLOTS + slot * SLOT_SIZE)',
  },
  {
    fault: 'text behind an entry',
    file: 'sitemap/transcode.ts',
    find: ' || skipSpace(end) !== to',
    replacement: '',
  },
  {
    fault: 'news entries are not counted',
    file: 'sitemap/write.ts',
    find: 'newsEntries++',
    replacement: 'newsEntries += 0',
  },
  {
    fault: 'a match beyond the window',
    file: 'deflate/deflate.ts',
    find: 'WINDOW: i32 = 32768',
    replacement: 'WINDOW: i32 = 32769',
  },
  {
    fault: 'a match before the text',
    file: 'deflate/deflate.ts',
    find: 'place >= from && ',
    replacement: '',
  },
  {
    fault: 'codes that are too long',
    file: 'deflate/huffman.ts',
    find: '  limitLengths(maxLength);\n  //',
    replacement: '  //',
  },
  {
    fault: 'a run of 139 zeros',
    file: 'deflate/blocks.ts',
    find: 'run < 138',
    replacement: 'run < 139',
  },
  {
    fault: 'a bracket in a string',
    file: 'records/find-elements.ts',
    find: 'bracketBytes(a, b, c, d) & ~strings',
    replacement: 'bracketBytes(a, b, c, d)',
  },
  {
    fault: 'a backslash at the end of a block',
    file: 'records/find-elements.ts',
    find: 'escapedBefore = (backslashes & ~escaped) >> 63;',
    replacement: 'escapedBefore = 0;',
  },
  {
    fault: 'a batch with too many elements',
    file: 'records/find-elements.ts',
    find: 'ended === maxElements || ',
    replacement: '',
  },
  {
    fault: 'an element that is one byte too long',
    file: 'records/find-elements.ts',
    find: '> maxElementBytes',
    replacement: '> maxElementBytes + 1',
  },
  {
    fault: 'a batch that ends within a group',
    file: 'records/find-elements.ts',
    find: ' && (maxElements - ended) % group === 0',
    replacement: '',
  },
  {
    fault: 'a line break in quotes',
    file: 'records/find-lines.ts',
    find: 'if (((quoted >> bit) & 1) !== 0) continue;',
    replacement: '',
  },
  {
    fault: 'a stray quote that joins lines',
    file: 'records/find-lines.ts',
    find: 'if (!isOpen && !mayOpen(i)) continue;',
    replacement: '',
  },
  {
    fault: 'quotes in a text without cells',
    file: 'records/find-lines.ts',
    find: 'hasQuotes = (cells & QUOTES) !== 0',
    replacement: 'hasQuotes = true',
  },
  {
    fault: 'a quote behind a closing one, in the next block',
    file: 'records/find-lines.ts',
    find: ' || at - 1 === closedAt',
    replacement: '',
  },
  {
    fault: 'an open quote at the end of a block',
    file: 'records/find-lines.ts',
    find: 'quoteBefore = <u64>(<i64>quoted >> 63);',
    replacement: 'quoteBefore = 0;',
  },
  {
    fault: 'bytes behind the text',
    file: 'records/find-lines.ts',
    find: 'found = equalBytesAt(i, LINE_FEED) & wanted',
    replacement: 'found = equalBytesAt(i, LINE_FEED)',
  },
  {
    fault: 'a line that is one byte too long',
    file: 'records/find-lines.ts',
    find: 'at - recordAt > maxRecordBytes',
    replacement: 'at - recordAt > maxRecordBytes + 1',
  },
  {
    fault: 'a blank line as a record',
    file: 'records/find-lines.ts',
    find: ' && byte !== CARRIAGE_RETURN',
    replacement: '',
  },
  {
    fault: 'a line that is not counted',
    file: 'records/find-lines.ts',
    find: '    firstLine = recordLine;',
    replacement: '',
  },
  {
    fault: 'a batch of lines that ends within a group',
    file: 'records/find-lines.ts',
    find: ' && (maxElements - ended) % group === 0',
    replacement: '',
  },
  {
    fault: 'a control character that XML forbids, as an escape',
    file: 'sitemap/strings.ts',
    find: 'code < 0x20 && !isXmlControl(<u8>code)',
    replacement: 'code < 0x08',
  },
];

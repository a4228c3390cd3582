/**
 * Faults to put into the kernel, one at a time. The judge must find each. A new rule of the kernel needs a mutation here,
 * or nobody knows whether the judge sees the rule.
 */
export interface Mutation {
  /** What the kernel does wrong with it. */
  readonly fault: string;
  /** In src/sitemap/kernel. */
  readonly file: string;
  /** A part of the source that occurs exactly once. */
  readonly find: string;
  readonly replacement: string;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    fault: 'a month 13',
    file: 'values.ts',
    find: 'isWithin(twoDigits(at + 5), 1, 12)',
    replacement: 'isWithin(twoDigits(at + 5), 1, 13)',
  },
  {
    fault: 'a day 0',
    file: 'values.ts',
    find: 'isWithin(twoDigits(at + 8), 1, 28)',
    replacement: 'isWithin(twoDigits(at + 8), 0, 28)',
  },
  {
    fault: 'a 29th of February in every year',
    file: 'values.ts',
    find: 'isWithin(twoDigits(at + 8), 1, 28)',
    replacement: 'isWithin(twoDigits(at + 8), 1, 29)',
  },
  {
    fault: 'an offset of 14:59',
    file: 'values.ts',
    find: 'twoDigits(at + 1) < 14 &&',
    replacement: 'twoDigits(at + 1) < 15 &&',
  },
  {
    fault: 'a priority above 1',
    file: 'values.ts',
    find: ' || (whole === 1 && priorityEnd > at + 1)',
    replacement: '',
  },
  {
    fault: 'a priority that ends in its point',
    file: 'values.ts',
    find: 'digits < 1 || digits > 8',
    replacement: 'digits > 8',
  },
  {
    fault: 'an exponent is ignored',
    file: 'values.ts',
    find: '(load<u8>(i) | 0x20) === 0x65 ? NOT_PLAIN : i',
    replacement: 'i',
  },
  {
    fault: 'zeros at the end of a number stay',
    file: 'values.ts',
    find: 'if (load<u8>(i) !== ZERO) priorityEnd = i + 1;',
    replacement: 'priorityEnd = i + 1;',
  },
  {
    fault: 'languages are remembered before the host sees them',
    file: 'values.ts',
    find: 'if (!isLanguageTag(at, end)) return NOT_PLAIN;\n  if (isShort) store<u64>(known, packed);',
    replacement: 'if (isShort) store<u64>(known, packed);\n  if (!isLanguageTag(at, end)) return NOT_PLAIN;',
  },
  {
    fault: 'U+FFFE in a text',
    file: 'text.ts',
    find: 'load<u8>(i + 2) >= 0xbe',
    replacement: 'load<u8>(i + 2) > 0xbe',
  },
  {
    fault: 'a control character in a text',
    file: 'text.ts',
    find: 'i8x16.lt_u(bytes, i8x16.splat(0x20))',
    replacement: 'i8x16.lt_u(bytes, i8x16.splat(0x1f))',
  },
  {
    fault: 'a text that is one byte too long',
    file: 'text.ts',
    find: 'i - at <= <i32>MAX_TEXT_LENGTH',
    replacement: 'i - at <= <i32>MAX_TEXT_LENGTH + 1',
  },
  {
    fault: 'a backslash is dropped',
    file: 'text.ts',
    find: 'if (byte === BACKSLASH) byte = load<u8>(i++);\n    o = writeReference(byte, o);',
    replacement: 'if (byte === BACKSLASH) continue;\n    o = writeReference(byte, o);',
  },
  { fault: 'a > that is not escaped', file: 'text.ts', find: `'&<>"\\'\\\\'`, replacement: `'&<"\\'\\\\'` },
  {
    fault: 'a % before one digit',
    file: 'urls.ts',
    find: ' || !isHexDigit(load<u8>(i + 2))',
    replacement: '',
  },
  {
    fault: 'a second #',
    file: 'urls.ts',
    find: 'other === HASH && !hasFragment',
    replacement: 'other === HASH',
  },
  {
    fault: 'a URL that is one byte too long',
    file: 'urls.ts',
    find: 'length <= MAX_URL_LENGTH',
    replacement: 'length <= MAX_URL_LENGTH + 1',
  },
  {
    fault: 'a known host at the beginning of another one',
    file: 'urls.ts',
    find: 'if (load<u8>(at + length) !== SLASH) continue;',
    replacement: '',
  },
  {
    fault: 'a slot for an origin with the length of another',
    file: 'urls.ts',
    find: 'store<i32>(known, length);',
    replacement: 'store<i32>(known, length - 1);',
  },
  {
    fault: 'a member twice',
    file: 'objects.ts',
    find: 'if (startOf(base + m) !== 0) return NOT_PLAIN;',
    replacement: '',
  },
  {
    fault: 'an entry without a loc',
    file: 'objects.ts',
    find: 'for (let r = 0; r < required; r++) if (startOf(base + r) === 0) return NOT_PLAIN;',
    replacement: '',
  },
  {
    fault: 'a slot that keeps the value of an earlier entry',
    file: 'objects.ts',
    find: 'memory.fill(SLOTS + base * SLOT_SIZE, 0, count * SLOT_SIZE);',
    replacement: 'if (base > 0) memory.fill(SLOTS + base * SLOT_SIZE, 0, count * SLOT_SIZE);',
  },
  {
    fault: 'a vertical tab as white space',
    file: 'objects.ts',
    find: 'byte === 0x20 ||',
    replacement: 'byte === 0x20 || byte === 0x0b ||',
  },
  {
    fault: 'text behind an entry',
    file: 'transcode.ts',
    find: 'end === NOT_PLAIN || skipSpace(end) !== to',
    replacement: 'end === NOT_PLAIN',
  },
  {
    fault: 'an empty list of images needs the namespace',
    file: 'write.ts',
    find: 'let slot = <i32>startOf(IMAGES);',
    replacement: 'namespaces |= IMAGE_NAMESPACE;\n  let slot = <i32>startOf(IMAGES);',
  },
  {
    fault: 'caption and title change places',
    file: 'write.ts',
    find: 'writeEscaped(IMAGE_CAPTION_OPEN, slot + IMAGE_CAPTION,',
    replacement: 'writeEscaped(IMAGE_CAPTION_OPEN, slot + IMAGE_TITLE,',
  },
];

/** Dates at all edges of the calendar, of times and of zones. */
import type { Random } from './random.ts';
import { words } from './words.ts';

const YEARS = words('0000 0001 0004 1900 2000 2023 2024 2100 2400 9999');
const DAYS = words('00 01 09 10 28 29 30 31 32');
const TIMES = words(`
  00:00:00 23:59:59 09:19:29 10:00:00 20:50:40
  24:00:00 23:60:00 23:59:60 1:00:00 01:0:00 01:00 01:00:0 01-00-00 010000 aa:00:00
`);
const FRACTIONS = [
  '',
  ...Array.from({ length: 11 }, (_, digits) => `.${'1234567890'.slice(0, digits)}`),
  ...words('.000 .000000000 .0000000000 ,5 .a .1.2 .١'),
];
const OFFSETS = words(`
  00:00 01:00 05:30 09:59 10:00 13:59 14:00 14:01 14:10 15:00 19:00 20:00
  02:60 2:00 0200 02 02:0 02:00:00 02:00Z aa:00
`);
const ZONES = [
  ...words('Z z ZZ UTC + - \u221201:00'),
  ...['', ' Z', 'Z ', 'Z\n'],
  ...OFFSETS.flatMap((offset) => [`+${offset}`, `-${offset}`]),
];
const DIFFERENT_FORMS = [
  ...words(`
    2026 2026-01 2026-W03-4 2026-015 20260115 2026-1-15 2026-01-1 26-01-15 +2026-01-15 -2026-01-15 12026-01-15
    2026/01/15 2026-01-15T 2026-01-15t10:00:00Z 2026-01-15T10:00:00.123456789+14:00x 2026‐01‐15 0x7e-01-15 now
    1e03-01-01 ٢٠٢٦-01-15 ２０２６-01-15
  `),
  ...['', ' ', '2026-01-15 10:00:00Z', ' 2026-01-15', '2026-01-15 ', '2026-01-15\n', '2026-01-15\0'],
];
const two = (number: number) => String(number).padStart(2, '0');

export function* notableDates(): Generator<string> {
  for (const year of YEARS) {
    for (let month = 0; month <= 13; month++) for (const day of DAYS) yield `${year}-${two(month)}-${day}`;
  }
  // An ordinary day, and one that needs the calendar.
  for (const day of ['2026-01-15', '2024-02-29', '2023-02-29', '2024-04-31', '0000-01-01']) {
    for (const time of TIMES) for (const zone of ['Z', '+14:00', '']) yield `${day}T${time}${zone}`;
    for (const fraction of FRACTIONS) {
      for (const zone of ['Z', '-14:00', '']) yield `${day}T10:00:00${fraction}${zone}`;
    }
    for (const zone of ZONES) yield `${day}T10:00:00${zone}`;
  }
  yield* DIFFERENT_FORMS;
}

export function randomDate(random: Random, isOdd: boolean): string {
  // In an odd date, one part is odd, or the form.
  const odd = isOdd ? random.below(5) : -1;
  if (odd === 0) return random.pick(DIFFERENT_FORMS);
  const year = random.onceIn(4) ? random.pick(YEARS) : String(random.between(1990, 2030));
  const month = two(odd === 1 ? random.pick([0, 2, 13]) : random.between(1, 12));
  const day = odd === 1 ? random.pick(DAYS) : two(random.between(1, random.onceIn(6) ? 31 : 28));
  const date = `${year}-${month}-${day}`;
  if (odd < 2 && random.onceIn(2)) return date;
  const time = [random.below(24), random.below(60), random.below(60)].map(two).join(':');
  const fraction = random.onceIn(3) ? `.${random.text('0123456789', random.between(1, 9))}` : '';
  const offset = `${random.pick(['+', '-'])}${two(random.below(14))}:${two(random.below(60))}`;
  const zone = random.pick(['Z', 'Z', offset, '+14:00', '-14:00']);
  return [
    `${date}T`,
    odd === 2 ? random.pick(TIMES) : time,
    odd === 3 ? random.pick(FRACTIONS) : fraction,
    odd === 4 ? random.pick(ZONES) : zone,
  ].join('');
}

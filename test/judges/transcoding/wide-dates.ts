/** Dates as databases and spreadsheets write them, whole and with a part that is odd. */
import { DATE_SPELLINGS, type Reading } from '../../../src/core/sitemap/reading.ts';
import { notableDates, randomDate } from './dates.ts';
import type { Random } from './random.ts';

const ZONES = [
  '',
  '',
  'Z',
  ' Z',
  '+00',
  '-08',
  '+0530',
  ' +0530',
  '-02:30',
  '+14:00',
  ' UTC',
  'UTC',
  ' GMT',
  ' PST',
  '+14:30',
  '+1',
  ' ',
];
const TIMEZONES = [undefined, 'UTC', '+02:00', '-05:30', 'Europe/Berlin', 'America/New_York', 'Asia/Gaza'];
const OTHERS = [
  'Thu, 15 Jan 2026 10:00:00 GMT',
  'Fri, 15 Jan 2026 10:00:00 GMT',
  '15.01.2026 10:00',
  '1/15/2026 9:05 PM',
  '46037',
  '46037.4166666667',
  '1768471200',
  '1768471200123',
  '1768471200123456',
  '0000-00-00 00:00:00',
  'infinity',
  '2026-03-29 02:30:00',
  '2026-10-25 02:30:00',
  '2026-11-01 01:30:00',
  '0001-01-01 00:00:00',
  '9999-12-31 23:59:59',
  '1969-12-31 23:59:59',
];
const two = (number: number) => String(number).padStart(2, '0');

export function randomReading(random: Random): Reading {
  const timezone = random.pick(TIMEZONES);
  const dates = random.onceIn(2) ? 'iso' : random.pick(DATE_SPELLINGS);
  const baseUrl = random.pick([
    undefined,
    'https://shop.example.com/',
    `https://shop.example.com/${'x'.repeat(480)}/`,
  ]);
  return { dates, ...(timezone !== undefined && { timezone }), ...(baseUrl !== undefined && { baseUrl }) };
}

const notable = [...notableDates()];

/** As a value of JSON. */
export function randomWideDate(random: Random): string {
  if (random.onceIn(12))
    return random.pick(['46037', '46037.25', '1768471200123', '-5', '1e5', '0', 'true', '{}']);
  const text = randomText(random);
  // Each character may be written as an escape.
  return random.onceIn(8)
    ? JSON.stringify(text).replaceAll('/', '\\/').replace('-', '\\u002d')
    : JSON.stringify(text);
}

function randomText(random: Random): string {
  if (random.onceIn(8)) return random.pick(OTHERS);
  if (random.onceIn(8)) return random.pick(notable);
  if (random.onceIn(8)) return randomDate(random, random.onceIn(2));
  const separator = random.pick(['-', '-', '/', '.']);
  const year = random.onceIn(4) ? random.between(1, 9999) : random.between(1990, 2030);
  const date = [String(year).padStart(4, '0'), two(random.between(0, 12)), two(random.between(1, 31))].join(
    separator,
  );
  if (random.onceIn(6)) return date;
  const seconds = random.onceIn(4) ? '' : `:${two(random.between(0, random.onceIn(9) ? 61 : 59))}`;
  const fraction = random.onceIn(2) ? '' : `.${random.text('0123456789', random.between(0, 12))}`;
  const time = `${two(random.between(0, random.onceIn(9) ? 25 : 23))}:${two(random.below(60))}${seconds}${fraction}`;
  return `${date}${random.pick([' ', ' ', 'T', 't', '  '])}${time}${random.pick(ZONES)}`;
}

const RELATIVE = [
  '/p/1',
  'p/1',
  '/',
  'p?a=1&b=2#c',
  'über uns',
  '//a.example',
  '../p',
  '?a',
  'a.example/x',
  'x.html',
  'mailto:x',
  'https:',
  'a b',
  ' /p',
  '/p ',
  '/\u0001',
  '',
];

/** A URL that may need a base, as a value of JSON. */
export function randomRelativeUrl(random: Random): string {
  if (random.onceIn(2)) return '"https://example.com/a"';
  const text = random.onceIn(2)
    ? random.pick(RELATIVE)
    : `/${random.text('abc/.%&é', random.between(0, 60))}`;
  return random.onceIn(8) ? JSON.stringify(text).replaceAll('/', '\\/') : JSON.stringify(text);
}

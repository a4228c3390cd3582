/** Parses values on the command line. Each function throws an error that names the expected value. */
import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number.');
}

export function parsePercent(text: string): number {
  const percent = /^\d{1,3}(\.\d{1,6})?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent <= 100) return percent;
  throw new InvalidArgumentError('Expected a number from 0 to 100.');
}

export function parseHours(text: string): number {
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (hours >= 1 && hours <= 168) return hours;
  throw new InvalidArgumentError('Expected a whole number from 1 to 168.');
}

/** Numbers as the XSDs require them: xs:decimal and xs:integer have no exponent. */
import { MAX_DECIMAL_PLACES } from './limits.ts';

/** The shortest plain decimal that reads back as the same number (-0 as 0), for 0 <= value < 1e21. */
export function plainDecimal(value: number): string {
  const text = String(value);
  const [digits, exponent] = text.split('e-');
  if (digits === undefined || exponent === undefined) return text;
  return `0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`;
}

/** Whether the plain decimal is short enough for every reader. A longer decimal needs rounding. */
export function isShortDecimal(value: number): boolean {
  // 17 digits tell any two numbers apart, so a number of 1e-8 or more has at most 24 places.
  return value >= 1e-8 || value === 0 || plainDecimal(value).length <= '0.'.length + MAX_DECIMAL_PLACES;
}

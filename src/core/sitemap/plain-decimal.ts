/** Numbers as the XSDs require them: xs:decimal and xs:integer have no exponent. */
import { MAX_DECIMAL_PLACES } from './limits.ts';

/** The shortest plain decimal that reads back as the same number (-0 as 0), for 0 <= value < 1e21. */
export function plainDecimal(value: number): string {
  const text = String(value);
  const [digits, exponent] = text.split('e-');
  if (digits === undefined || exponent === undefined) return text;
  return `0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`;
}

/** Whether the plain decimal has at most MAX_DECIMAL_PLACES. Some readers round or refuse a longer decimal. */
export function isShortDecimal(value: number): boolean {
  // Any two numbers differ within 17 digits, so a number of at least 1e-8 has at most 24 decimal places.
  return value >= 1e-8 || value === 0 || plainDecimal(value).length <= '0.'.length + MAX_DECIMAL_PLACES;
}

// Numbers as the XSDs want them: xs:decimal and xs:integer know no exponent.

/** The shortest plain decimal that reads back as the same number (-0 as 0), for 0 <= value < 1e21. */
export function plainDecimal(value: number): string {
  const text = String(value);
  const [digits, exponent] = text.split('e-');
  if (digits === undefined || exponent === undefined) return text;
  return `0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`;
}

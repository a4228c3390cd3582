/** Dates in HTTP headers (RFC 9110 section 5.6.7). */

const FORMS = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  // Two obsolete forms that recipients must still parse. RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  // asctime: Sun Nov  6 08:49:37 1994
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** Parses an HTTP date into milliseconds since 1970, in whole seconds. Undefined if the text is not an HTTP date. */
export function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !FORMS.some((form) => form.test(text))) return undefined;
  // asctime names no zone and means GMT. `Date.parse` assumes the machine's zone.
  const parsed = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

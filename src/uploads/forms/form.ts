/** The forms of a list of URLs. Each of them makes the same files of the same entries, byte for byte. */

export const UPLOAD_FORMS = ['json', 'ndjson', 'csv', 'text', 'xml'] as const;
export type UploadForm = (typeof UPLOAD_FORMS)[number];

/** The `Content-Type` of each form. */
export const CONTENT_TYPES: Readonly<Record<UploadForm, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  text: 'text/plain',
  xml: 'application/xml',
};

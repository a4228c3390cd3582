/** The forms of an upload. In every form, the same entries make the same files, byte for byte. */
export const UPLOAD_FORMS = ['json', 'ndjson', 'csv', 'text', 'xml', 'parquet'] as const;
export type UploadForm = (typeof UPLOAD_FORMS)[number];

export const CONTENT_TYPES: Readonly<Record<UploadForm, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  text: 'text/plain',
  xml: 'application/xml',
  parquet: 'application/vnd.apache.parquet',
};

const FORMS: ReadonlyMap<string | undefined, UploadForm> = new Map([
  ...UPLOAD_FORMS.map((form) => [CONTENT_TYPES[form], form] as const),
  ['text/xml', 'xml'],
]);

/** Returns the form of a media type, which must be in lower case and without parameters. Undefined for any other type. */
export const formOfType = (mediaType: string | undefined): UploadForm | undefined => FORMS.get(mediaType);

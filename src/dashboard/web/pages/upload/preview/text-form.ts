/** The form of a text, by its first characters. */
import type { UploadForm } from '../file-form.ts';

const WEB_ADDRESS = /^https?:\/\//i;
/** A cell of the header that every CSV must have, or of one with other separators. */
const LOC_CELL = /(^|[,;\t|])\s*"?loc"?\s*($|[,;\t|])/i;

/** Undefined if nothing tells it. */
export function formOfText(text: string, isWhole: boolean): UploadForm | undefined {
  const start = text.trimStart();
  const [first = ''] = start.split('\n', 1);
  if (start.startsWith('<')) return 'xml';
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{'))
    return isEntry(first, isWhole || first.length < start.length) ? 'ndjson' : 'json';
  if (WEB_ADDRESS.test(first)) return first.includes(',') ? undefined : 'text';
  return LOC_CELL.test(first.trimEnd()) ? 'csv' : undefined;
}

function isEntry(line: string, isComplete: boolean): boolean {
  // A line that goes on behind the preview may be either; only a document begins with its list.
  if (!isComplete) return false;
  try {
    const value = JSON.parse(line);
    return !('urls' in value);
  } catch {
    return false;
  }
}

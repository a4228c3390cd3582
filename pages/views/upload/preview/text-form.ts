/** The form of a text, by its first characters. */
import type { UploadForm } from '../file-form.ts';

const WEB_ADDRESS = /^https?:\/\//i;
const SEPARATOR = /[,;\t|]/;

/** Undefined if nothing tells it. */
export function formOfText(text: string, isWhole: boolean): UploadForm | undefined {
  const start = text.trimStart();
  const [first = ''] = start.split('\n', 1);
  if (start.startsWith('<')) return 'xml';
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{'))
    return isEntry(first, isWhole || first.length < start.length) ? 'ndjson' : 'json';
  if (WEB_ADDRESS.test(first)) return first.includes(',') ? undefined : 'text';
  return hasLocCell(first) ? 'csv' : undefined;
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

/** As in the header that every CSV must have, or in one with other separators. */
function hasLocCell(line: string): boolean {
  return line.split(SEPARATOR).some((cell) => cell.replaceAll('"', '').trim().toLowerCase() === 'loc');
}

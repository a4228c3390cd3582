/** Counts the rows of the chosen file, if that is quick. */
import { useEffect, useState } from 'preact/hooks';
import type { UploadForm } from '../file-form.ts';
import { countRows } from './count-rows.ts';

/** The most bytes of a file whose rows are counted. That takes less than a second. */
const MAX_BYTES = 50_000_000;

/** Returns the number of rows. Undefined while it is not known, and for a file that is long or compressed, or whose form has no rows. */
export function useRowCount(file: File | undefined, form: UploadForm | undefined, isPlain: boolean) {
  const [counted, setCounted] = useState<{
    readonly of: File;
    readonly form: UploadForm;
    readonly rows: number;
  }>();
  const hasRows = form === 'csv' || form === 'ndjson' || form === 'text';
  useEffect(() => {
    if (file === undefined || !hasRows || !isPlain || file.size > MAX_BYTES) return undefined;
    const stop = new AbortController();
    countRows(file, form, stop.signal).then(
      (rows) => rows !== undefined && setCounted({ of: file, form, rows }),
      // The upload tells what is wrong with the file.
      () => {},
    );
    return () => stop.abort();
  }, [file, form, isPlain]);
  return counted?.of === file && counted?.form === form ? counted?.rows : undefined;
}

/** Asks the service to read the beginning of a file as an upload would. Nothing is stored. */
import type { Preview } from '../../client/src/answers.ts';
import { reach, readEnvelope } from './request.ts';

/**
 * The most bytes of a file that a page sends for a preview. The service takes no more, except of a Parquet file. If a body has this length,
 * it may be cut, so the service leaves out the last record.
 */
export const PREVIEW_BYTES = 64 * 1024;

/** Throws ApiError. */
export async function askPreview(
  beginning: Uint8Array<ArrayBuffer>,
  contentType: string,
  query: URLSearchParams,
): Promise<Preview> {
  const { status, text } = await reach(`uploads/preview?${query}`, {
    method: 'POST',
    body: beginning,
    headers: { 'Content-Type': contentType },
  });
  return readEnvelope<Preview>(status, text).data;
}

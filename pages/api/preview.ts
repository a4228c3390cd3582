/** Asks the service what the beginning of a file would become. Nothing is stored. */
import type { Preview } from '../../client/src/answers.ts';
import { ApiError, readEnvelope, UNREACHABLE } from './request.ts';
import { shownAccountHeader } from './shown-account.ts';

/** The most bytes that the service takes. Of so many, it leaves out the last record, which may be cut. */
export const PREVIEW_BYTES = 64 * 1024;

/** Throws ApiError. */
export async function askPreview(
  beginning: Uint8Array<ArrayBuffer>,
  contentType: string,
  query: Readonly<Record<string, string>>,
): Promise<Preview> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`/dashboard/api/uploads/preview?${new URLSearchParams(query)}`, {
      method: 'POST',
      body: beginning,
      headers: { 'Content-Type': contentType, ...shownAccountHeader() },
    });
    text = await response.text();
  } catch {
    throw new ApiError(0, 'UNREACHABLE', UNREACHABLE);
  }
  return readEnvelope<Preview>(response.status, text).data;
}

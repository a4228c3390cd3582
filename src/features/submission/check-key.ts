/** Checks the key file of a page host as search engines do: no redirects, and only the key in the file. */
import { type AskOutside, type OutboundAnswer, OutboundError } from '../../platform/http/outbound.ts';
import { shownFailure } from '../../platform/http/outbound-error.ts';
import { plainBody } from '../../platform/http/plain-body.ts';
import { type HostKey, keyFileOf } from './page-host.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024;

/** Returns the problem and the cure, for people; null if the file is right. Throws OutboundError only when aborted. */
export async function findKeyProblem(
  ask: AskOutside,
  host: HostKey,
  signal?: AbortSignal,
): Promise<string | null> {
  const url = keyFileOf(host);
  const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BYTES };
  try {
    const answer = await ask({ kind: 'key file', url, ...limits, ...(signal && { signal }) });
    return problemOf(answer, url, host.key);
  } catch (error) {
    if (!(error instanceof OutboundError) || error.reason === 'aborted') throw error;
    return `${url} cannot be fetched: ${shownFailure(error)}.`;
  }
}

function problemOf(answer: OutboundAnswer, url: string, key: string): string | null {
  const { status, isWhole } = answer;
  const cure = `Put a text file there that has only ${key}.`;
  if (status >= 300 && status < 400) {
    return `${url} redirects (${status}), and search engines do not follow. ${cure}`;
  }
  if (status !== 200) return `${url} answers with status ${status}. ${cure}`;
  const body = isWhole ? plainBody(answer, MAX_BYTES) : undefined;
  // `trim` removes a byte order mark too.
  if (body?.toString().trim() === key) return null;
  // PowerShell writes UTF-16. In a browser, such a file looks right.
  if (body?.toString('utf16le').trim() === key) {
    return `${url} is in UTF-16, and search engines read UTF-8. ${cure}`;
  }
  return `${url} has another content. ${cure}`;
}

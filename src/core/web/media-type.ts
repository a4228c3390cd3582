/** The `Content-Type` of a request with text in UTF-8 (RFC 9110, section 8.3.1). */
import type { Request } from 'express';

/** Returns the type in lower case, without its parameters. Undefined if the header has another charset, or another parameter. */
export function mediaType(request: Request): string | undefined {
  const header = request.get('content-type') ?? '';
  return /^([^\s;]+)\s*(;\s*charset="?utf-8"?\s*)?$/i.exec(header)?.[1]?.toLowerCase();
}

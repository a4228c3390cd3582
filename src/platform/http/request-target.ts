/** Parses the request target (RFC 9112, section 3.2), in origin form (`/a?b`) or absolute form (`http://host/a?b`). */

export interface RequestTarget {
  /** The target as received. */
  readonly text: string;
  /** The scheme and the authority (host and optional port), both in lower case. Absent in origin form. */
  readonly scheme?: string;
  readonly authority?: string;
  /** The path without the query. */
  readonly path: string;
}

export function parseTarget(text: string): RequestTarget {
  if (text.startsWith('/')) return { text, path: withoutQuery(text) };
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(text);
  if (match === null) return { text, path: withoutQuery(text) };
  const [, scheme = '', authority = '', path = ''] = match;
  return {
    text,
    scheme: scheme.toLowerCase(),
    authority: authority.toLowerCase(),
    path: withoutQuery(path),
  };
}

function withoutQuery(path: string): string {
  const query = path.indexOf('?');
  const bare = query === -1 ? path : path.slice(0, query);
  return bare === '' ? '/' : bare;
}

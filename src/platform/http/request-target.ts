/** The request target (RFC 9112, section 3.2), in origin form (`/a?b`) and in absolute form (`http://host/a?b`) alike. */

export interface RequestTarget {
  /** As it came. */
  readonly text: string;
  /** Of the absolute form only, in lower case, as the authority is: host and optional port. */
  readonly scheme?: string;
  readonly authority?: string;
  /** Without the query. */
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

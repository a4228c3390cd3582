/** Turns the names of two columns into the parameter `columns`, and back. */

export interface UnseenNames {
  readonly loc: string;
  readonly lastmod: string;
}

/** Returns the parameter. Undefined without any name. If only the date column has a name, the URL column is `loc`. */
export function columnsOfNames({ loc, lastmod }: UnseenNames): string | undefined {
  if (loc === '' && lastmod === '') return undefined;
  const items = [`loc:${loc || 'loc'}`, ...(lastmod === '' ? [] : [`lastmod:${lastmod}`])];
  return items.map(quoted).join(',');
}

export function namesIn(columns: string | undefined): UnseenNames {
  const items = (columns?.match(/"(?:[^"]|"")*"|[^,]+/g) ?? []).map(unquoted);
  const nameOf = (member: string) =>
    items.find((item) => item.startsWith(`${member}:`))?.slice(member.length + 1) ?? '';
  return { loc: nameOf('loc'), lastmod: nameOf('lastmod') };
}

const quoted = (item: string) => (/[",\r\n]/.test(item) ? `"${item.replaceAll('"', '""')}"` : item);
const unquoted = (item: string) => (item.startsWith('"') ? item.slice(1, -1).replaceAll('""', '"') : item);

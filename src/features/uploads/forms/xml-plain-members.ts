/** The tags of records of the usual shape, with the prefixes of a document. Only alternates have attributes in such records. */
import { SITEMAP_URIS, usualPrefixOf, type XmlMember } from './xml-elements.ts';
import type { Namespaces } from './xml-record.ts';

export interface PlainMember extends Pick<XmlMember, 'isList' | 'kind'> {
  readonly open: Buffer;
  readonly close: Buffer;
  /** The name of the member as JSON, such as `"loc":`. */
  readonly key: Buffer;
  /** The members of an object. Undefined for a plain value. */
  readonly members: readonly PlainMember[] | undefined;
  /** Whether the member is an alternate, with its two attributes. */
  readonly isAlternate: boolean;
}

/** Returns the prefix, with its colon, that the document uses for one of our namespaces. */
function prefixOf(usual: string, namespaces: Namespaces): string | undefined {
  for (const [prefix, uri] of Object.entries(namespaces)) {
    if (usualPrefixOf(uri) === usual) return prefix === '' ? '' : `${prefix}:`;
  }
  return usual === '' && namespaces[''] === undefined && SITEMAP_URIS.includes('') ? '' : undefined;
}

/** Returns undefined if the document cannot have the element of this member, or if the fast path cannot read it. */
export function plainMember(member: XmlMember, namespaces: Namespaces): PlainMember | undefined {
  const [local = '', usual = ''] = member.tag.split(':').reverse();
  const prefix = prefixOf(usual === '' ? '' : `${usual}:`, namespaces);
  // An object with a text of its own also has attributes, which the fast path does not read.
  if (prefix === undefined || member.object?.byTag.has('')) return undefined;
  const isAlternate = member.tag === 'xhtml:link';
  const name = `${prefix}${local}`;
  const members = member.object && [...member.object.byName.values()];
  return {
    open: Buffer.from(isAlternate ? `<${name} rel="alternate" hreflang="` : `<${name}>`),
    close: Buffer.from(`</${name}>`),
    key: Buffer.from(`"${member.name}":`),
    isList: member.isList,
    kind: member.kind,
    members: members?.flatMap((each) => plainMember(each, namespaces) ?? []),
    isAlternate,
  };
}

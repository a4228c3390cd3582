/**
 * Maps the elements of a sitemap to the members of an entry, by the table that also writes entries (core/sitemap/elements.ts). Documents
 * choose their prefixes, so a namespace is known by its URI. The names here have the usual prefixes.
 */
import { type ElementXml, ENTRY_XML, type ObjectXml } from '../../../core/sitemap/elements.ts';
import { ENTRY_SHAPE, memberShape, type ValueShape } from '../../../core/sitemap/entry-shape.ts';
import { NAMESPACE_URIS, SITEMAP_NAMESPACE_URI } from '../../../core/sitemap/namespaces.ts';
import { type ValueKind, valueKindOf } from './value-kind.ts';

/** An element, or an attribute, whose value is a member of the object around it. */
export interface XmlMember {
  readonly name: string;
  /**
   * The name of the element with the usual prefix, or `@` and the name of an attribute. Empty for the text that stands in the object's
   * element itself.
   */
  readonly tag: string;
  readonly isList: boolean;
  readonly kind: ValueKind;
  /** The members of an object. Undefined for a plain value. */
  readonly object: XmlObject | undefined;
}

export interface XmlObject {
  readonly byTag: ReadonlyMap<string, XmlMember>;
  readonly byName: ReadonlyMap<string, XmlMember>;
}

/** Google's first sitemaps had a namespace of their own, and Google accepts documents without a namespace. */
export const SITEMAP_URIS: readonly string[] = [
  SITEMAP_NAMESPACE_URI,
  'http://www.google.com/schemas/sitemap/0.84',
  '',
];

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ...SITEMAP_URIS.map((uri) => [uri, ''] as const),
  ...Object.entries(NAMESPACE_URIS).map(([prefix, uri]) => [uri, `${prefix}:`] as const),
]);

/**
 * Returns the usual prefix with its colon. It is empty for the namespace of sitemaps, and undefined for an unknown
 * namespace.
 */
export function usualPrefixOf(uri: string): string | undefined {
  return PREFIXES.get(uri);
}

/** Returns the name of an element with the usual prefix, or undefined for an unknown namespace. */
export function tagOf(uri: string, local: string): string | undefined {
  const prefix = usualPrefixOf(uri);
  return prefix === undefined ? undefined : `${prefix}${local}`;
}

export const XML_ENTRY: XmlObject = objectOf(ENTRY_SHAPE, ENTRY_XML);

/** Writes a path in an entry as a path of elements, with numbers from 1: `image:image[2]/image:loc`. */
export function elementPath(path: readonly PropertyKey[]): string {
  const steps: string[] = [];
  let object: XmlObject | undefined = XML_ENTRY;
  for (const step of path) {
    if (typeof step === 'number') steps.push(`${steps.pop()}[${step + 1}]`);
    else {
      const member: XmlMember | undefined = object?.byName.get(String(step));
      if (member !== undefined && member.tag !== '') steps.push(member.tag);
      object = member?.object;
    }
  }
  return steps.length === 0 ? 'url' : steps.join('/');
}

function objectOf(shape: ValueShape, xml: ObjectXml): XmlObject {
  const members = Object.entries(xml.members).map(([name, member]): XmlMember => {
    const { items, ...value } = memberShape(shape, name);
    const own = items ?? value;
    const object = 'members' in member ? objectOf(own, member) : undefined;
    const kind = object === undefined ? valueKindOf(own) : 'text';
    return { name, tag: tagIn(member), isList: items !== undefined, kind, object };
  });
  return {
    byTag: new Map(members.map((member) => [member.tag, member])),
    byName: new Map(members.map((member) => [member.name, member])),
  };
}

function tagIn(xml: ElementXml | ObjectXml): string {
  const open = 'members' in xml ? xml.open : xml[0];
  const [, mark, name = ''] = /^([< >])([\w:]*)/.exec(open)!;
  return mark === ' ' ? `@${name}` : name;
}

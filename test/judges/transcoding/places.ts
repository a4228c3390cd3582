/** Entries with one chosen value, one for each place of the format, and otherwise ordinary ones. */
import { ENTRY, type Kind, type Member, type Shape } from './shapes.ts';
import { ORDINARY, type PlainKind } from './values.ts';

/** An object somewhere in an entry. */
export interface Place {
  /** Like `images[0]`, and empty for the entry itself. */
  readonly path: string;
  readonly shape: Shape;
  /** The JSON of an entry with this JSON of the object. */
  entryWith(object: string): string;
}

/** A value that is no object, somewhere in an entry. */
export interface Field {
  readonly path: string;
  readonly kind: PlainKind;
  /** The JSON of an entry with this JSON of the value. */
  entryWith(value: string): string;
}

/** The JSON of a member with an ordinary value. */
export function ordinaryMember({ name, kind }: Member): string {
  return `"${name}":${ordinaryJson(kind)}`;
}

export function ordinaryJson(kind: Kind): string {
  if (kind.is === 'list') return `[${ordinaryJson(kind.of)}]`;
  return kind.is === 'object' ? objectOf(neededMembers(kind.shape).map(ordinaryMember)) : ORDINARY[kind.is];
}

/** The JSON of a value with all members that it may have. */
export function fullJson(kind: Kind): string {
  if (kind.is === 'list') return `[${fullJson(kind.of)}]`;
  if (kind.is !== 'object') return ORDINARY[kind.is];
  return objectOf(kind.shape.members.map(({ name, kind }) => `"${name}":${fullJson(kind)}`));
}

export const objectOf = (members: readonly string[]) => `{${members.join(',')}}`;

/** The fewest members that make the object valid. */
function neededMembers({ members, needsOneOf }: Shape): Member[] {
  return members.filter(({ name, isRequired }) => isRequired || name === needsOneOf?.[0]);
}

/** The fewest members, one of them with this JSON of its value. */
export function objectWith(shape: Shape, name: string, value: string): string {
  const needed = neededMembers(shape);
  const members = shape.members.filter((member) => member.name === name || needed.includes(member));
  return objectOf(
    members.map((member) => (member.name === name ? `"${name}":${value}` : ordinaryMember(member))),
  );
}

export function allPlaces(): Place[] {
  return [...placesIn({ path: '', shape: ENTRY, entryWith: (object) => object })];
}

function* placesIn(place: Place): Generator<Place> {
  yield place;
  for (const [kind, path, entryWith] of valuesIn(place)) {
    if (kind.is === 'object') yield* placesIn({ path, shape: kind.shape, entryWith });
  }
}

export function allFields(): Field[] {
  return allPlaces().flatMap((place) =>
    [...valuesIn(place)].flatMap(([kind, path, entryWith]) =>
      kind.is === 'object' || kind.is === 'list' ? [] : [{ kind, path, entryWith }],
    ),
  );
}

/** The values of the object's members, or of the first element if a value is a list. */
function* valuesIn({ path, shape, entryWith }: Place): Generator<[Kind, string, (value: string) => string]> {
  for (const { name, kind } of shape.members) {
    const inner = path === '' ? name : `${path}.${name}`;
    const withValue = (value: string) => entryWith(objectWith(shape, name, value));
    if (kind.is === 'list') yield [kind.of, `${inner}[0]`, (value) => withValue(`[${value}]`)];
    else yield [kind, inner, withValue];
  }
}

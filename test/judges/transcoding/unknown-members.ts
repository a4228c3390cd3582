/** Members that the format does not know. They are ignored at any depth, if they are JSON. */
import type { Manner } from './manner.ts';
import type { Random } from './random.ts';
import { ENTRY, type Kind, type Shape } from './shapes.ts';
import { words } from './words.ts';

function* namesIn(shape: Shape): Generator<string> {
  for (const { name, kind } of shape.members) {
    yield name;
    const inner: Kind = kind.is === 'list' ? kind.of : kind;
    if (inner.is === 'object') yield* namesIn(inner.shape);
  }
}

/** The names of all objects. A name is unknown in every object but its own. */
export const KNOWN_NAMES: readonly string[] = [...new Set(namesIn(ENTRY))];

/**
 * Names that are nearly `name`. No name here has a backslash: after a member "a\\\\", JSON.parse of Node 24.21 takes "a\\n" for
 * the same one, so its results depend on what it has parsed before.
 */
export const almost = (name: string): string[] => [
  ...[name.slice(0, -1), name.slice(1), `${name}s`, `${name}_`, `${name}\0`, `${name} `, ` ${name}`],
  ...[name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1), `${name}"`, `"${name}`, `${name}é`],
  ...[name + name, name.replace(/./, '\u017f'), `${name}\ud800`],
];

export const UNKNOWN_NAMES: readonly string[] = [
  ...words('x _ 0 1 00 -1 " / é 😀 \ud800 \ude00 { } : ,'),
  ...words('__proto__ constructor prototype toString hasOwnProperty toJSON length valueOf null'),
  ...['', '\0', ' ', '\ufeffloc'],
  ...[7, 8, 9, 14, 15, 16, 17, 31, 32, 33, 40, 64, 300].map((length) => 'n'.repeat(length)),
  ...[7, 8, 16].map((length) => 'é'.repeat(length)),
];

const ALMOST_KNOWN = KNOWN_NAMES.flatMap(almost);

export function randomUnknownName(random: Random): string {
  return random.pick(random.pick([UNKNOWN_NAMES, ALMOST_KNOWN]));
}

/** Values of every type, and some that look like a value of a member. */
export const ODD_VALUES: readonly string[] = [
  ...words(`
    null true false 0 1 -1 0.5 60 1e400 "" "x" "en" "daily" "true" "0.5" "2026-02-30" "2026-01-15" "A:1"
    "https://a.example" "https://a.example/é" [] [[]] [null] [{}] ["x"] [1] [[[]],[]] {} {"x":1}
    {"loc":"https://a.example/"} {"__proto__":{}} [{"loc":"https://a.example/"},null]
  `),
  '" "',
];

/** Tokens that are not JSON. */
export const MALFORMED_VALUES: readonly string[] = [
  ...words(`
    True tru truex nul nullx NULL undefined x 'x' "x x" "x"" "x"y [1,] [,1] {"a":1,} {,} {"a"} {"a":} {:1} {a:1}
    {"a"::1} [} {] [ { ] } [1 {"a":1 , : [[] []] {{}} {"a":1}} {[]} [{]} {"a":[}] "\\" [1;2] (1) {1:2} {null:1} {"a","b"}
  `),
  ...['', '`x`', '[1 2]', '{"a":1 "b":2}', '{"a" 1}'],
];

/** The deepest value that the scan of a document lets through has 29 levels inside an entry. */
export const DEEPEST_LEVELS = 29;

/** Nested arrays and objects, taking turns. */
export function nested(levels: number, innermost = '1'): string {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = level % 2 ? `[${value}]` : `{"a":${value}}`;
  return value;
}

/** Any JSON. */
export function randomJson(manner: Manner, depth = 4): string {
  const { random } = manner;
  const gap = () => manner.gap();
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return random.pick(ODD_VALUES);
    case 1:
      return manner.text(
        random.pick(['', 'x', '"', '{', '}', ']', '[', ',', '\\"}', 'é', '😀', '\ud800', '\uffff', '\0']),
      );
    case 2:
      return String((random.below(2_000) - 1_000) * 10 ** random.between(-10, 10));
    case 3:
      return random.pick(['true', 'false', 'null']);
    case 4:
      return random.onceIn(4) ? nested(random.below(DEEPEST_LEVELS + 1)) : '[]';
    case 5: {
      const elements = Array.from(
        { length: random.below(4) },
        () => gap() + randomJson(manner, depth - 1) + gap(),
      );
      return `[${elements.join(',') || gap()}]`;
    }
    default: {
      const members = Array.from({ length: random.below(4) }, () => {
        const name = random.pick(random.pick([KNOWN_NAMES, UNKNOWN_NAMES]));
        return `${gap()}${manner.name(name)}${gap()}:${gap()}${randomJson(manner, depth - 1)}${gap()}`;
      });
      return `{${members.join(',') || gap()}}`;
    }
  }
}

/** A verb is a function of a room whose first parameter, its dependencies, the room has bound (docs/decisions/0047). */

/** The type of a function without its first parameter. A room binds this parameter when it opens. */
export type Verb<Bare> = Bare extends (ground: never, ...given: infer Given) => infer Result
  ? (...given: Given) => Result
  : never;

type Verbs<Bare> = { readonly [Name in keyof Bare]: Verb<Bare[Name]> };

/** Makes verbs of functions by binding `ground`, their first parameter. */
export function verbsOn<Ground, Bare extends Record<string, (ground: Ground, ...given: never[]) => unknown>>(
  ground: Ground,
  functions: Bare,
): Verbs<Bare> {
  const verbs = Object.entries(functions).map(([name, bare]) => [
    name,
    (...given: never[]) => bare(ground, ...given),
  ]);
  return Object.fromEntries(verbs);
}

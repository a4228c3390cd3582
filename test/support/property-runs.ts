/** The number of cases per property test. CI runs the files with properties again with more, and `npm run fuzz` has no end. */
export const PROPERTY_RUNS = Number(process.env.PROPERTY_RUNS ?? 50);

/** With at least this many runs, tests of long tables take them whole. CI has that many. */
const WHOLE_FROM = 200;
/** The part of a long table that a shorter run takes. */
const PARTS = 5;

/** The number of cases of a property whose cases are slow: `inCi`, or in a shorter run fewer in proportion. */
export function casesOf(inCi: number): number {
  return Math.ceil((inCi * PROPERTY_RUNS) / WHOLE_FROM);
}

/** The length of a long loop: `whole`, or in a short run a fifth. */
export function lengthOf(whole: number): number {
  return PROPERTY_RUNS >= WHOLE_FROM ? whole : whole / PARTS;
}

/** All cases, or in a short run each fifth, from another one each time. Failures name their case. */
export function sampleOf<Case>(cases: readonly Case[]): readonly Case[] {
  if (PROPERTY_RUNS >= WHOLE_FROM) return cases;
  const first = Math.floor(Math.random() * PARTS);
  return cases.filter((_, place) => place % PARTS === first);
}

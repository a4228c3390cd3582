/** The number of cases per property test. CI takes more, and `npm run fuzz` has no end. */
export const PROPERTY_RUNS = Number(process.env.PROPERTY_RUNS ?? (process.env.CI === undefined ? 50 : 200));

/** The number of cases per property test. `npm run fuzz` raises it. */
export const PROPERTY_RUNS = Number(process.env.PROPERTY_RUNS ?? 200);

/** How many cases a property test tries; `npm run fuzz` asks for more of them. */
export const PROPERTY_RUNS = Number(process.env.PROPERTY_RUNS ?? 200);

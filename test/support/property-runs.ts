/** How many cases a property test tries. */
export const PROPERTY_RUNS = 200;

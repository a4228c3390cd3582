// How often each property of this folder is tried.
export const PROPERTY_RUNS = { numRuns: 200 };

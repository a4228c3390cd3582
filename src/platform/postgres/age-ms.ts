/**
 * SQL: the age of a time in milliseconds. It is negative if the clock of the database was ahead at that time. now() stands still within a
 * transaction, so there now() minus the age gives the time back.
 */
export const ageMs = (time: string) => `(extract(epoch FROM now() - ${time}) * 1000)::float8`;

/** Returns whether an attempt is a delta. Deltas are listed among uploads, and only their ids differ. */
export const isDelta = (attemptId: string) => attemptId.startsWith('delta_');

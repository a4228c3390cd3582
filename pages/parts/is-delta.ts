/** Deltas are listed among uploads. Their ids tell them apart. */
export const isDelta = (attemptId: string) => attemptId.startsWith('delta_');

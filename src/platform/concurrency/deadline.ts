/** Waiting, but not for ever. */

export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** The result of `work`, or DeadlinePassed after `timeoutMs`; the work itself goes on and is the caller's to stop. */
export async function withinDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlinePassed(`no result within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work, passed]);
  } finally {
    clearTimeout(timer);
  }
}

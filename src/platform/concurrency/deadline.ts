/** Bounds the time that a caller waits for work. */

export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** Returns the result of `work`, or throws DeadlinePassed after `timeoutMs`. The caller must stop the work itself. */
export async function withinDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DeadlinePassed(`no result within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work, passed]);
  } finally {
    clearTimeout(timer);
  }
}

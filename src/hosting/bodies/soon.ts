/**
 * A value, or a promise of one. Cached values come without a promise: on the path of a cached answer, each promise
 * (with its turn) costs 1 % of the throughput.
 */
export type Soon<Value> = Value | Promise<Value>;

/** Applies `next`: at once to a value, later to a promise. */
export function whenThere<Value, Result>(
  value: Soon<Value>,
  next: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The value of `work`. If `work` throws or rejects, the value of `rescue`. */
export function whenFails<Value>(
  work: () => Soon<Value>,
  rescue: (error: unknown) => Soon<Value>,
): Soon<Value> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(rescue) : value;
  } catch (error) {
    return rescue(error);
  }
}

/**
 * A value, or the promise of one. What is in memory is given as it is: on the way of a request through the cache, each
 * promise and each turn that it takes would cost a hundredth of the throughput.
 */
export type Soon<Value> = Value | Promise<Value>;

/** Applies `next` at once to what is there, and later to what is not. */
export function whenThere<Value, Result>(
  value: Soon<Value>,
  next: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The value of `work`; where that fails, at once or later, the value of `rescue`. */
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

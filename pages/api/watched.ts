/** A value outside of all pages. Some pages show it. */

export interface Watched<Value> {
  readonly value: () => Value;
  readonly change: (value: Value) => void;
  /** Returns how to stop. */
  readonly watch: (watcher: (value: Value) => void) => () => void;
}

export function createWatched<Value>(first: Value): Watched<Value> {
  let value = first;
  const watchers = new Set<(value: Value) => void>();
  return {
    value: () => value,
    change(now) {
      value = now;
      for (const watcher of watchers) watcher(now);
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

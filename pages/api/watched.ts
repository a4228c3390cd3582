/** A value that lives outside of all components. A component that shows the value watches it. */

export interface Watched<Value> {
  readonly value: () => Value;
  readonly change: (value: Value) => void;
  /** Returns a function that stops watching. */
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

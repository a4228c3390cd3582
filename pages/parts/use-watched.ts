/** Returns a value that lives outside of the components. After a change of the value, the component is rendered again. */
import { useEffect, useState } from 'preact/hooks';
import type { Watched } from '../api/watched.ts';

export function useWatched<Value>(watched: Watched<Value>): Value {
  const [shown, setShown] = useState(watched.value);
  useEffect(() => {
    // The value may have changed since the first rendering.
    setShown(watched.value);
    return watched.watch(setShown);
  }, [watched]);
  return shown;
}

/**
 * A press that comes before the page is ready. It is kept, and takes effect as soon as the page is. A button that
 * is disabled meanwhile would swallow it, and Tab would pass the button by.
 */
import { useLayoutEffect, useState } from 'preact/hooks';

/** `act` sees the state of the page when it is ready, not when the button was pressed. */
export function useKeptPress(isReady: boolean, act: () => void) {
  const [isKept, setKept] = useState(false);
  useLayoutEffect(() => {
    if (!isKept || !isReady) return;
    setKept(false);
    act();
  }, [isKept, isReady]);
  return { isKept, press: () => setKept(true) };
}

/** Keeps a press on a button until the page is ready. A disabled button would swallow the press, and Tab would skip the button. */
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

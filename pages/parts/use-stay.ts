/**
 * Asks a person before they leave a page that shows something for the last time. The browser asks if they close the tab or load it again.
 * The page asks if they go back. Nothing can stop the browser from going back, so we add an entry for the same page to its history. Going
 * back removes only this entry, and we add it again:
 *
 *   page, page ──Back──▶ page ──we ask──▶ page, page
 */
import { useEffect, useRef, useState } from 'preact/hooks';

export interface Stay {
  /** Whether the person went back, so that the page asks. */
  readonly isAsking: boolean;
  /** Goes back to where the person wanted to go. */
  readonly leave: () => void;
  /** Removes our entry from the history, and then calls `ended`. */
  readonly end: (ended: () => void) => void;
}

/** `isNeeded`: false once there is nothing to lose. */
export function useStay(isNeeded: boolean): Stay {
  const [isAsking, setAsking] = useState(false);
  const needed = useRef(isNeeded);
  needed.current = isNeeded;
  /** Set when we move in the history ourselves. Called when the browser has arrived. */
  const arrived = useRef<() => void>();
  const go = (entries: number, then = () => {}) => {
    arrived.current = then;
    history.go(entries);
  };
  useEffect(() => {
    const hold = () => history.pushState(history.state, '', location.href);
    const back = () => {
      if (arrived.current) return arrived.current();
      if (!needed.current) return go(-1);
      hold();
      setAsking(true);
    };
    const warn = (event: BeforeUnloadEvent) => {
      if (needed.current && !arrived.current) event.preventDefault();
    };
    hold();
    addEventListener('popstate', back);
    addEventListener('beforeunload', warn);
    return () => {
      removeEventListener('popstate', back);
      removeEventListener('beforeunload', warn);
    };
  }, []);
  return { isAsking, leave: () => go(-2), end: (ended) => go(-1, ended) };
}

/**
 * Asks before a page is left that shows something for the last time: by the browser, when the tab is closed or loaded again, and by the
 * page, when somebody goes back. Nothing can stop the browser from going back, so we put an entry into its history that leads to the
 * same page. Going back removes it, and nothing else happens:
 *
 *   page, page ──Back──▶ page ──we ask──▶ page, page
 */
import { useEffect, useRef, useState } from 'preact/hooks';

export interface Stay {
  /** Whether somebody went back, so the page asks. */
  readonly isAsking: boolean;
  /** Goes where they wanted to go. */
  readonly leave: () => void;
  /** Stops asking. Then the history is as before, and `ended` is called. */
  readonly end: (ended: () => void) => void;
}

/** `isNeeded`: false once there is nothing to lose. */
export function useStay(isNeeded: boolean): Stay {
  const [isAsking, setAsking] = useState(false);
  const needed = useRef(isNeeded);
  needed.current = isNeeded;
  /** Set once we go through the history by ourselves. It is called when we have arrived. */
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

/** Waits until a person has stopped typing, so that not each letter sends a request. */
import { useEffect, useState } from 'preact/hooks';

/** Returns `text` once it has not changed for `ms`. Until then, returns the former text. */
export function useSettled(text: string, ms: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}

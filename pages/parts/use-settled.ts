/** Waits until a person has stopped typing, so that a request is not sent for each letter. */
import { useEffect, useState } from 'preact/hooks';

/** The text once it has not changed for `ms`. */
export function useSettled(text: string, ms: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}

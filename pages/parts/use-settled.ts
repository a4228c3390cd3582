/** A text that people type, for what should not happen at each letter. */
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

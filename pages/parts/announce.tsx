/** Tells screen readers about changes that other people see. */
import { useEffect, useState } from 'preact/hooks';

let say: (text: string) => void = () => {};

export function announce(text: string): void {
  say(text);
}

export function Announcements() {
  const [text, setText] = useState('');
  useEffect(() => {
    say = setText;
    return () => {
      say = () => {};
    };
  }, []);
  return (
    <p class="unseen" role="status">
      {text}
    </p>
  );
}

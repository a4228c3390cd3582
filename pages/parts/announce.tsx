/** Tells screen readers about changes that other people see. */
import { useEffect, useState } from 'preact/hooks';

/** The regions for announcements: that of the page, and those of the open dialogs. The last one speaks. */
const regions: ((text: string) => void)[] = [];
let last = '';

export function announce(text: string): void {
  last = text;
  regions.at(-1)?.(text);
}

export function Announcements() {
  const [text, setText] = useState('');
  useEffect(() => {
    regions.push(setText);
    const before = last;
    return () => {
      regions.splice(regions.indexOf(setText), 1);
      // What was said while the dialog closed was cut off.
      if (last !== before) regions.at(-1)?.(last);
    };
  }, []);
  return (
    <p class="unseen" role="status">
      {text}
    </p>
  );
}

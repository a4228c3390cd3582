/** A search field. It calls `change` after a pause in typing. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const PAUSE_MS = 200;

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

export function SearchField({ label, value, change }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const pause = useRef<ReturnType<typeof setTimeout>>();
  // Another filter may be chosen during the pause.
  const newest = useRef(change);
  newest.current = change;
  // The value also changes when the person goes back in the browser.
  useEffect(() => setTyped((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => () => clearTimeout(pause.current), []);
  return (
    <label class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onInput={({ currentTarget }) => {
          const text = currentTarget.value;
          setTyped(text);
          clearTimeout(pause.current);
          pause.current = setTimeout(() => newest.current(text.trim()), PAUSE_MS);
        }}
      />
    </label>
  );
}

/** The field for finding a URL, in the bar of each page. The key `/` moves the focus to the field. */
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { findPage } from '../api/find-page.ts';
import { Icon } from '../parts/icon.tsx';
import { onSend } from '../parts/on-send.ts';

export function FindBox() {
  const { route } = useLocation();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const lead = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      // In a narrow window there is only the loupe.
      if (input.current!.offsetParent) input.current!.focus();
      else route(findPage(''));
    };
    document.addEventListener('keydown', lead);
    return () => document.removeEventListener('keydown', lead);
  }, [route]);
  return (
    <search>
      <form class="search" onSubmit={onSend(() => route(findPage(input.current?.value.trim() ?? '')))}>
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          aria-label="Find a URL"
          placeholder="Find a URL"
          spellcheck={false}
        />
        <kbd>/</kbd>
        <button type="submit" aria-label="Find a URL">
          <Icon name="search" />
        </button>
      </form>
    </search>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null
  );
}

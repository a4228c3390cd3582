/** A button that opens a few links and buttons. Tab reaches each of them. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface MenuProps {
  /** The name for screen readers, if the button has only a drawing or letters. */
  readonly label?: string;
  readonly button: ComponentChildren;
  readonly kind?: 'avatar' | 'menu-opener';
  readonly children: ComponentChildren;
}

/** The menu closes at Escape, at a press elsewhere, when a link in it is followed, and when Tab leaves it. */
export function Menu({ label, button, kind = 'menu-opener', children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const closeOutside = ({ target }: Event) => {
      // A dialog gives the focus back to the button in the menu that has opened it.
      const isInDialog = (target as Element).closest('dialog') !== null;
      if (!isInDialog && !menu.current?.contains(target as Node)) setOpen(false);
    };
    const closeAtLink = ({ target }: Event) => {
      if ((target as Element).closest('.menu-items a')) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('focusin', closeOutside);
    document.addEventListener('click', closeAtLink);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('focusin', closeOutside);
      document.removeEventListener('click', closeAtLink);
    };
  }, [isOpen]);
  return (
    // Keys bubble up here from the links and buttons inside.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      class="menu"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        setOpen(false);
        opener.current?.focus();
      }}
    >
      <button
        ref={opener}
        type="button"
        class={kind}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && <div class="menu-items">{children}</div>}
    </div>
  );
}

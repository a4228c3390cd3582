/**
 * A native modal dialog. The browser keeps the focus inside it, and gives the focus back when the dialog closes. If the button that opened
 * the dialog is gone by then, the heading of the page gets the focus: otherwise the keyboard would begin at the top of the window.
 */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Announcements } from './announce.tsx';

export interface DialogProps {
  readonly title: string;
  /**
   * Called when the person presses Escape or closes the dialog by a gesture, but not while work in the dialog is under way: its result may be
   * a secret that is shown once. If it is absent, only the page can close the dialog.
   */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** The page shows what the dialog has changed a moment after the dialog closes. Then the button may be gone. */
const RENDERED_MS = 100;

/** Render the dialog only while it is open. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const mayClose = () => onClose !== undefined && !dialog.current!.querySelector('[aria-busy="true"]');
  // Open the dialog at once: until then, keys go to the page below.
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      element.close();
      setTimeout(focusIfLost, RENDERED_MS);
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (mayClose()) onClose!();
      }}
      onKeyDown={(event) => {
        // Browsers let `cancel` refuse only the first Escape, and close the dialog at the second one.
        if (!mayClose() && event.key === 'Escape') event.preventDefault();
      }}
      onClose={({ currentTarget }) => {
        // A gesture of a phone closes the dialog all the same. After our own `close`, the element is no longer in the document.
        if (!currentTarget.isConnected) return;
        if (mayClose()) onClose!();
        else currentTarget.showModal();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      {/* Nobody hears what is said outside of a modal dialog. */}
      <Announcements />
    </dialog>
  );
}

function focusIfLost(): void {
  if (document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
}

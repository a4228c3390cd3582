/** A native modal dialog. The browser keeps the focus inside it, and gives the focus back when the dialog closes. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  /** Called when the person presses Escape or closes the dialog by a gesture. If it is absent, only the page can close the dialog. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** Render the dialog only while it is open. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Open the dialog at once: until then, keys go to the page below.
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onKeyDown={(event) => {
        // Browsers let `cancel` refuse only the first Escape, and close the dialog at the second one.
        if (!onClose && event.key === 'Escape') event.preventDefault();
      }}
      onClose={({ currentTarget }) => {
        // A gesture of a phone closes the dialog all the same. After our own `close`, the element is no longer in the document.
        if (!currentTarget.isConnected) return;
        if (onClose) onClose();
        else currentTarget.showModal();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

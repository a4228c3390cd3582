/** A native modal dialog: the browser keeps the focus inside and gives it back. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  /** Called when Escape closes the dialog. If it is absent, only the page can close it. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** Render it while it is open. */
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
        // Browsers let only the first Escape be refused by `cancel`, and close the dialog at the second.
        if (!onClose && event.key === 'Escape') event.preventDefault();
      }}
      onClose={({ currentTarget }) => {
        // A gesture of a phone closes it all the same. Our own `close` tells of a dialog that is gone
        // already.
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

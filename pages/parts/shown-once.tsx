/** A secret that we can never show again. Only the person's word that it is stored closes it. */
import type { ComponentChildren } from 'preact';
import { Copyable } from './copy.tsx';
import { Dialog } from './dialog.tsx';

export interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  /** The word for the secret, as in "the key". */
  readonly label: string;
  /** The text of the button, as in "I have sent it". */
  readonly done?: string;
  readonly onStored: () => void;
  /** Tells where the secret goes, and what it is good for. */
  readonly children: ComponentChildren;
}

export function ShownOnce({
  title,
  secret,
  label,
  done = 'I have stored it',
  onStored,
  children,
}: ShownOnceProps) {
  return (
    <Dialog title={title}>
      <div class="lines">{children}</div>
      <Copyable text={secret} label={label} />
      <p class="notice">
        <span>You see it only now. Copy it before you go on.</span>
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={onStored}>
          {done}
        </button>
      </div>
    </Dialog>
  );
}

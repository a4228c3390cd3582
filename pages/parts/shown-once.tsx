/**
 * A dialog with a secret that we can never show again. The person closes it only by saying that the secret is stored. If they leave the
 * page without a copy, the page asks first.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Copyable } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { useStay } from './use-stay.ts';

export interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  /** The word for the secret, as in "the key". */
  readonly label: string;
  /** The text of the button, as in "Done". */
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
  const [isCopied, setCopied] = useState(false);
  const { isAsking, leave, end } = useStay(!isCopied);
  return (
    <Dialog title={title}>
      <div class="lines">{children}</div>
      <div data-keeps-input={!isCopied || undefined} onCopy={() => setCopied(true)}>
        <Copyable text={secret} label={label} onCopied={() => setCopied(true)} />
      </div>
      <p class="notice">
        <span>You see it only now. Copy it before you go on.</span>
      </p>
      {isAsking && !isCopied && (
        <div class="notice notice-bad" role="alert">
          <p>You haven't copied {label}. If you leave this page, nobody can see it again.</p>
          <button type="button" onClick={leave}>
            Leave without it
          </button>
        </div>
      )}
      <div class="buttons">
        <button type="button" class="primary" onClick={() => end(onStored)}>
          {done}
        </button>
      </div>
    </Dialog>
  );
}

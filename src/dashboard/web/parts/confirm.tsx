/** Asks before something that cannot be undone. It closes when the work is done, and stays when the work fails. */
import type { ComponentChildren } from 'preact';
import { Action } from './action.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmProps {
  readonly title: string;
  /** What the button does, as in "Revoke key". */
  readonly verb: string;
  /** What the other button says, as in "Keep it". */
  readonly otherwise: string;
  readonly work: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Confirm({ title, verb, otherwise, work, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="buttons">
        <Action kind="danger" work={() => work().then(onClose)}>
          {verb}
        </Action>
        <button type="button" onClick={onClose}>
          {otherwise}
        </button>
      </div>
    </Dialog>
  );
}

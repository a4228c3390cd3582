/** The form of a dialog, with a button that sends the form and a button that closes the dialog. */
import type { ComponentChildren } from 'preact';
import { onSend } from './on-send.ts';

export interface DialogFormProps {
  /** The text of the button, as in `Create key`. */
  readonly verb: string;
  readonly kind?: 'primary' | 'danger' | undefined;
  readonly submit: () => void;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function DialogForm({
  verb,
  kind = 'primary',
  submit,
  isBusy,
  isDisabled,
  onClose,
  children,
}: DialogFormProps) {
  return (
    <form aria-busy={isBusy} onSubmit={onSend(submit)}>
      {children}
      <div class="buttons">
        {/* Cancel comes first, so it has the focus in a dialog without a field. A second Enter then does not confirm. */}
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
          Cancel
        </button>
        <button type="submit" class={kind} disabled={isDisabled} aria-disabled={isBusy}>
          {isBusy ? 'One moment …' : verb}
        </button>
      </div>
    </form>
  );
}

/** The form of a dialog, with a button that sends the form and a button that closes the dialog. */
import type { ComponentChildren } from 'preact';

export interface DialogFormProps {
  /** The text of the button, as in `Create key`. */
  readonly verb: string;
  readonly submit: () => void;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function DialogForm({ verb, submit, isBusy, isDisabled, onClose, children }: DialogFormProps) {
  return (
    <form
      aria-busy={isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
      <div class="buttons">
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isDisabled} aria-disabled={isBusy}>
          {isBusy ? 'One moment …' : verb}
        </button>
      </div>
    </form>
  );
}

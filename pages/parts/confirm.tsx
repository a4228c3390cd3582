/** Asks before something is done that cannot simply be undone. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useWork } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { Fault } from './fault.tsx';
import { Field } from './field.tsx';
import { VERBATIM } from './verbatim.ts';

export interface ConfirmProps {
  readonly title: string;
  /** Says what will happen. */
  readonly children: ComponentChildren;
  /** The verb on the button, as in "Roll back". */
  readonly verb: string;
  readonly kind?: 'primary' | 'danger';
  /** A name that must be typed first, and the word for it, as in "the hostname". */
  readonly typed?: { readonly text: string; readonly what: string };
  readonly isReady?: boolean;
  /** The dialog closes when it is done, and stays with the error when it fails. */
  readonly work: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function Confirm(props: ConfirmProps) {
  const { title, children, verb, kind = 'primary', typed, isReady = true, work, onClose } = props;
  const [text, setText] = useState('');
  const { isBusy, error, run } = useWork(async () => {
    await work();
    onClose();
  });
  const isTyped = typed === undefined || text.trim() === typed.text;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped && isReady) run();
        }}
      >
        {typed && (
          <Field
            label={`Type ${typed.what} to confirm`}
            hint={
              <>
                It is <code>{typed.text}</code>
              </>
            }
          >
            {(tied) => (
              <input
                {...tied}
                type="text"
                {...VERBATIM}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        <Fault>{error}</Fault>
        <div class="buttons">
          {/* The first button gets the focus. So a second Enter does not confirm. */}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={kind} disabled={!isTyped || !isReady} aria-disabled={isBusy}>
            {isBusy ? 'One moment …' : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

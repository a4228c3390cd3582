/** A dialog that asks before an action that is hard to undo. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useWork } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { DialogForm, type DialogFormProps } from './dialog-form.tsx';
import { Fault } from './fault.tsx';
import { Field } from './field.tsx';
import { VERBATIM } from './verbatim.ts';

export interface ConfirmProps extends Pick<DialogFormProps, 'verb' | 'kind' | 'onClose'> {
  readonly title: string;
  /** Says what will happen. */
  readonly children: ComponentChildren;
  /** A name that must be typed first, and the word for it, as in "the hostname". */
  readonly typed?: { readonly text: string; readonly what: string };
  readonly isReady?: boolean;
  /** When the work is done, the dialog closes. If the work fails, the dialog stays and shows the error. */
  readonly work: () => Promise<unknown>;
}

export function Confirm(props: ConfirmProps) {
  const { title, children, verb, kind, typed, isReady = true, work, onClose } = props;
  const [text, setText] = useState('');
  const { isBusy, error, run } = useWork(async () => {
    await work();
    onClose();
  });
  const isTyped = typed === undefined || text.trim() === typed.text;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <DialogForm
        verb={verb}
        kind={kind}
        submit={run}
        isBusy={isBusy}
        isDisabled={!isTyped || !isReady}
        onClose={onClose}
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
      </DialogForm>
    </Dialog>
  );
}

/** A button whose work takes a while, and the hook `useWork`, which runs such work for other buttons and forms. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Fault } from './fault.tsx';
import { messageOf } from './states.tsx';

export interface ActionProps {
  readonly work: () => Promise<unknown>;
  /** The text of the button while the work is under way. */
  readonly busy?: string;
  readonly kind?: 'primary' | 'danger' | 'small';
  /** The name for screen readers, if several buttons have the same text. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** The message of a failure stands beside the button. */
export function Action({ work, busy = 'One moment …', kind, label, children }: ActionProps) {
  const { isBusy, error, run } = useWork(work);
  return (
    <>
      <button
        type="button"
        class={kind}
        aria-busy={isBusy}
        aria-disabled={isBusy}
        aria-label={label}
        onClick={run}
      >
        {isBusy ? busy : children}
      </button>
      <Fault>{error}</Fault>
    </>
  );
}

/** Runs `work` for a button or a form. `run` does nothing while the work is under way. */
export function useWork(work: () => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const run = async () => {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    await work().catch(setFailure);
    setBusy(false);
  };
  return {
    isBusy,
    failure,
    error: failure === undefined ? undefined : messageOf(failure),
    run: () => void run(),
  };
}

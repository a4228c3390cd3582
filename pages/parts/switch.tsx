/** A switch for a setting that is on or off. A press changes the setting at once. */
import { useWork } from './action.tsx';
import { Fault } from './fault.tsx';

export interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  /** Changes the setting to the other state. */
  readonly work: () => Promise<unknown>;
}

/** Shows the state that the service has, so after a failed change the switch is as it was. */
export function Switch({ label, isOn, isDisabled = false, work }: SwitchProps) {
  const { isBusy, error, run } = useWork(work);
  return (
    <div class="field">
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={isOn}
        aria-disabled={isBusy}
        disabled={isDisabled}
        onClick={run}
      >
        <span class="track" aria-hidden="true" />
        {label}
        <span class="quiet" aria-hidden="true">
          {isOn ? 'On' : 'Off'}
        </span>
      </button>
      <Fault>{error}</Fault>
    </div>
  );
}

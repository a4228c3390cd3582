/**
 * A list of steps, below each other or across the page. Each has a mark and a line. A step that waits for a person may have actions, too.
 */
import type { ComponentChildren } from 'preact';
import type { Step, StepState } from './checklist.ts';

export interface ShownStep extends Step {
  /** The actions of the step, below its line. */
  readonly more?: ComponentChildren;
}

const SPOKEN: Readonly<Record<StepState, string>> = {
  done: 'Done',
  now: 'Now',
  wrong: 'Needs fixing',
  later: 'Later',
  unknown: "Couldn't check",
};

const MARKS: Readonly<Record<StepState, ComponentChildren>> = {
  done: (
    <>
      <circle cx="10" cy="10" r="9.5" class="step-done" />
      <path d="m6 10.3 2.7 2.7L14 7.3" class="step-tick" />
    </>
  ),
  now: (
    <>
      <circle cx="10" cy="10" r="9" class="step-now" />
      <circle cx="10" cy="10" r="3" class="step-dot" />
    </>
  ),
  wrong: (
    <>
      <circle cx="10" cy="10" r="9" class="step-wrong" />
      <path d="M10 5.5V11m0 3v.2" class="step-bang" />
    </>
  ),
  later: <circle cx="10" cy="10" r="9" class="step-later" />,
  unknown: (
    <>
      <circle cx="10" cy="10" r="9" class="step-later" />
      <path d="M6.5 10h7" class="step-dash" />
    </>
  ),
};

export function StepList({
  steps,
  isAcross = false,
}: {
  readonly steps: readonly ShownStep[];
  readonly isAcross?: boolean;
}) {
  return (
    <ol class={isAcross ? 'checklist across' : 'checklist'}>
      {steps.map(({ name, state, line, aside, more }) => (
        <li key={name} class={state === 'now' || state === 'wrong' ? 'is-open' : undefined}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            {MARKS[state]}
          </svg>
          <div>
            <h3>
              <span class="unseen">{SPOKEN[state]}: </span>
              {name}
            </h3>
            <p class={state === 'wrong' ? 'error' : undefined}>{line}</p>
          </div>
          {aside && !isAcross && <span class="checklist-aside">{aside}</span>}
          {more && <div class="checklist-more">{more}</div>}
        </li>
      ))}
    </ol>
  );
}

/** A state as a word, a shape and a colour. `Chip` is meant for headings, `State` for the rows of tables. */
import type { Tone } from './tone.ts';

export type { Tone };

/** Shapes tell the tones apart without colour. */
const SHAPES = {
  good: <circle cx="6" cy="6" r="4.5" class="solid" />,
  busy: <path d="M6 1.5A4.5 4.5 0 1 1 1.5 6" class="outline" />,
  waiting: <circle cx="6" cy="6" r="4" class="outline" />,
  bad: <path d="M6 .75 11.5 11H.5z" class="solid" />,
  neutral: <path d="M2 6h8" class="outline" />,
};

interface StateProps {
  readonly tone: Tone;
  readonly children: string;
}

export function Chip({ tone, children }: StateProps) {
  return (
    <span class={`chip chip-${tone}`}>
      <Shape tone={tone} />
      {children}
    </span>
  );
}

export function State({ tone, children }: StateProps) {
  return (
    <span class={`state state-${tone}`}>
      <Shape tone={tone} />
      <span>{children}</span>
    </span>
  );
}

function Shape({ tone }: { readonly tone: Tone }) {
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  );
}

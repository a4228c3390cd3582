/** A state in a word, a shape and a colour. */
import type { Tone } from './tone.ts';

export type { Tone };

/** Shapes tell the tones apart without colour. */
const SHAPES = {
  good: <circle cx="6" cy="6" r="4" class="solid" />,
  busy: <path d="M6 2a4 4 0 1 1-4 4" class="outline" />,
  waiting: <circle cx="6" cy="6" r="4" class="outline" />,
  bad: <path d="M6 1.5 11 10.5H1z" class="solid" />,
  neutral: <path d="M2 6h8" class="outline" />,
};

export function Chip({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span class={`chip chip-${tone}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[tone]}
      </svg>
      {children}
    </span>
  );
}

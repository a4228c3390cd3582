/** A part of a page with a heading of its own. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface CardProps {
  readonly title: string;
  /** Beside the heading: a sum, a switch, a button. */
  readonly aside?: ComponentChildren;
  readonly tone?: 'danger';
  readonly children: ComponentChildren;
}

export function Card({ title, aside, tone, children }: CardProps) {
  const id = useId();
  return (
    <section class={tone ? `card card-${tone}` : 'card'} aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {aside && <div class="card-aside">{aside}</div>}
      </div>
      {children}
    </section>
  );
}

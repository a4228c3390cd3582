/** A part of a page with a heading of its own. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { count } from './format.ts';

export interface CardProps {
  /** The id of the card, for links to it. */
  readonly id?: string;
  readonly title: string;
  /** The number of things that the card lists. */
  readonly count?: number;
  /** A line below the heading. */
  readonly lead?: ComponentChildren;
  /** Beside the heading: a sum, a switch, a button. */
  readonly aside?: ComponentChildren;
  readonly tone?: 'danger';
  /** Below a line at the end: the number of shown rows, a link or button for the others. */
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Card({ id: anchor, title, count: number, lead, aside, tone, foot, children }: CardProps) {
  const id = useId();
  return (
    <section id={anchor} class={tone ? `card card-${tone}` : 'card'} aria-labelledby={id}>
      <div class="card-head">
        <div>
          <h2 id={id}>
            {title}
            {number !== undefined && <span class="card-count"> {count(number)}</span>}
          </h2>
          {lead && <p>{lead}</p>}
        </div>
        {aside && <div class="card-aside">{aside}</div>}
      </div>
      {children}
      {foot && <div class="card-foot">{foot}</div>}
    </section>
  );
}

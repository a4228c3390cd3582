/** A few facts side by side. Each has its name above and an explanation below. */
import type { ComponentChildren } from 'preact';

export interface Stat {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly below?: ComponentChildren;
}

export function Stats({ facts }: { readonly facts: readonly Stat[] }) {
  return (
    <dl class="card stats">
      {facts.map(({ name, value, below }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {below && <dd>{below}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** A number with its name above it and a remark below. */
import type { ComponentChildren } from 'preact';

export interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly below: ComponentChildren;
}

export function Tile({ name, value, below }: TileProps) {
  return (
    <dl class="tile">
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd>{below}</dd>
    </dl>
  );
}

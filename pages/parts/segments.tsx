/** A list seen in one of a few ways. The choice stands in the address, so that it can be sent and comes back. */

export interface Segment {
  readonly href: string;
  readonly name: string;
  readonly isChosen: boolean;
}

/** `label`: as in "Filter by state". */
export function Segments({
  label,
  segments,
}: {
  readonly label: string;
  readonly segments: readonly Segment[];
}) {
  return (
    <nav class="segments" aria-label={label}>
      {segments.map(({ href, name, isChosen }) => (
        <a key={href} href={href} aria-current={isChosen ? 'true' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

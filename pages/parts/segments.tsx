/** Links that show a list in one of a few ways. The choice is in the address of the page, so people can share it, and a reload keeps it. */

export interface Segment {
  readonly href: string;
  readonly name: string;
  readonly isChosen: boolean;
}

/** `label`: the name for screen readers, as in "Filter by state". */
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

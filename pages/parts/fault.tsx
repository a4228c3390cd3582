/** What went wrong, beside what it is about. Screen readers say it at once. */

export interface FaultProps {
  /** For an input that it describes. */
  readonly id?: string;
  readonly children: string | undefined;
}

/** Renders nothing while there is no fault. */
export function Fault({ id, children }: FaultProps) {
  if (!children) return null;
  return (
    <p class="error" id={id} role="alert">
      {children}
    </p>
  );
}

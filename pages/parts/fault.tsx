/** A fault, shown beside its cause. Screen readers say it at once. */

export interface FaultProps {
  /** The id, for the input that the fault describes. */
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

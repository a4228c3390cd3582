/** The choice of the number of days in a chart. */
const SPANS = [7, 30, 90];

export interface SpanChoiceProps {
  /** The name of the choice, as in "Days of uploads". */
  readonly label: string;
  readonly days: number;
  readonly choose: (days: number) => void;
}

export function SpanChoice({ label, days, choose }: SpanChoiceProps) {
  return (
    <select
      class="inline"
      aria-label={label}
      value={days}
      onChange={(event) => choose(Number(event.currentTarget.value))}
    >
      {SPANS.map((span) => (
        <option key={span} value={span}>
          {span} days
        </option>
      ))}
    </select>
  );
}

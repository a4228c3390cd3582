/** How many days a chart shows. */
const SPANS = [7, 30, 90];

export interface SpanChoiceProps {
  readonly days: number;
  readonly choose: (days: number) => void;
}

export function SpanChoice({ days, choose }: SpanChoiceProps) {
  return (
    <select
      class="inline"
      aria-label="Days"
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

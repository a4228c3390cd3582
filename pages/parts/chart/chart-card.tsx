/** A card with a chart, a button that shows the chart as a table, and the choice of the number of days. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Card } from '../card.tsx';
import { SpanChoice } from '../span-choice.tsx';

export interface ChartCardProps {
  readonly title: string;
  readonly days: number;
  readonly choose: (days: number) => void;
  readonly children: (isTable: boolean) => ComponentChildren;
}

export function ChartCard({ title, days, choose, children }: ChartCardProps) {
  const [isTable, setTable] = useState(false);
  const what = title.toLowerCase();
  return (
    <Card
      title={title}
      aside={
        <div class="buttons">
          <button
            type="button"
            class="small"
            aria-pressed={isTable}
            aria-label={`Table of ${what}`}
            onClick={() => setTable(!isTable)}
          >
            Table
          </button>
          <SpanChoice label={`Days of ${what}`} days={days} choose={choose} />
        </div>
      }
    >
      {children(isTable)}
    </Card>
  );
}

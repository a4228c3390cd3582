/** The sum of a lane, as in "12 refused". It leads to the list of what it counts. */
import { counted } from '../format.ts';

interface LaneTotalProps {
  readonly count: number;
  readonly one: string;
  readonly many: string;
  readonly list: string | undefined;
}

export function LaneTotal({ count, one, many, list }: LaneTotalProps) {
  if (count === 0) return <span>None</span>;
  const words = counted(count, one, many);
  return list === undefined ? <span class="error">{words}</span> : <a href={list}>{words}</a>;
}

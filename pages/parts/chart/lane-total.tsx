/** The sum of a lane, as in "12 refused". */
import { counted } from '../format.ts';

interface LaneTotalProps {
  readonly count: number;
  readonly one: string;
  readonly many: string;
}

export function LaneTotal({ count, one, many }: LaneTotalProps) {
  return count === 0 ? <span>None</span> : <span class="error">{counted(count, one, many)}</span>;
}

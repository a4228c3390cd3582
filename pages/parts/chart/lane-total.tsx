/** The sum of a lane, as in "12 refused". */
import { counted } from '../format.ts';

interface LaneTotalProps {
  readonly count: number;
  readonly one: string;
  readonly many: string;
  /** The address of a list of the counted failures. */
  readonly href?: string | undefined;
}

export function LaneTotal({ count, one, many, href }: LaneTotalProps) {
  if (count === 0) return <span>None</span>;
  const words = counted(count, one, many);
  return <span class="error">{href === undefined ? words : <a {...{ href }}>{words}</a>}</span>;
}

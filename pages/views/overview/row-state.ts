/** The state of a domain in its row: a need, or else the work under way, or else the general state. */

import type { DomainRow, RunningUpload } from '../../../src/edges/dashboard/wire.ts';
import { timeNow } from '../../api/clock.ts';
import { domainState } from '../../parts/domain-state.ts';
import { dayInWords, share } from '../../parts/format.ts';
import type { Tone } from '../../parts/tone.ts';

export interface RowState {
  readonly tone: Tone;
  readonly word: string;
}

export function rowState(row: DomainRow, running: readonly RunningUpload[], now = timeNow()): RowState {
  const { need } = row;
  if (need?.kind === 'heldUpload' && need.deadline !== null) {
    return { tone: 'waiting', word: `${need.state}, decide by ${dayInWords(need.deadline, now)}` };
  }
  if (need) return { tone: need.severity, word: need.state };
  const upload = running.find(({ domainId }) => domainId === row.id);
  if (upload) return { tone: 'busy', word: wordUpload(upload) };
  return domainState(row);
}

function wordUpload({ sitemapName, bytesReceived, bytesTotal }: RunningUpload): string {
  const name = sitemapName === null ? '' : ` “${sitemapName}”`;
  return bytesTotal === null ? `Uploading${name}` : `Uploading${name}, ${share(bytesReceived, bytesTotal)}`;
}

/** The events that the API reports to its metrics. */
import type { WebReports } from '../../core/web/reports.ts';

/**
 * `held`: the guard of the domain stopped the upload. A dry run counts as `dry_run`, also if it is refused. If it fails or its client
 * leaves, it counts as `failed` or `abandoned`.
 */
export type UploadOutcome =
  | 'accepted'
  | 'unchanged'
  | 'refused'
  | 'held'
  | 'dry_run'
  | 'failed'
  | 'abandoned'
  | 'canceled';

export interface ApiReports extends WebReports {
  /** Bytes of the body of an upload, a delta or a part, or of an object of a load, as sent. */
  received(bytes: number): void;
  uploadBegins(): void;
  /** `urlCount`: 0 unless the upload was accepted. */
  uploadEnds(outcome: UploadOutcome, end: { seconds: number; urlCount: number }): void;
  /** Called when a process begins to work on a load. The process calls the returned function when it ends its work. */
  loadBegins(): () => void;
  /** `seconds`: since the client or the schedule asked for the load. */
  loadEnded(outcome: UploadOutcome, end: { seconds: number; urlCount: number }): void;
}

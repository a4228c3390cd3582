/** What the API reports to its metrics. */
import type { WebReports } from '../web/reports.ts';

/** `held`: by the guard of its domain. A dry run is one however it ends, unless it fails. */
export type UploadOutcome = 'accepted' | 'refused' | 'held' | 'dry_run' | 'failed' | 'abandoned';

export interface ApiReports extends WebReports {
  /** Bytes of an upload's body, as sent. */
  received(bytes: number): void;
  uploadBegins(): void;
  /** `urlCount`: 0 unless the upload was accepted. */
  uploadEnds(outcome: UploadOutcome, end: { seconds: number; urlCount: number }): void;
}

/** What the API reports to its metrics. */
import type { WebReports } from '../web/reports.ts';

export type UploadOutcome = 'accepted' | 'refused' | 'failed' | 'abandoned';

export interface ApiReports extends WebReports {
  /** Bytes of an upload's body, as sent. */
  received(bytes: number): void;
  uploadBegins(): void;
  /** `urlCount`: 0 unless the upload was accepted. */
  uploadEnds(outcome: UploadOutcome, end: { seconds: number; urlCount: number }): void;
}

/** What the API tells whoever counts it. */
export type UploadOutcome = 'accepted' | 'refused' | 'failed' | 'abandoned';

export interface ApiReports {
  answered(status: number, seconds: number): void;
  refused(code: string): void;
  /** Bytes of an upload's body, as they came. */
  received(bytes: number): void;
  uploadBegins(): void;
  /** `urlCount`: 0 unless it was accepted. */
  uploadEnds(outcome: UploadOutcome, end: { seconds: number; urlCount: number }): void;
}

/** The reports of an Express server to its metrics. */
export interface WebReports {
  answered(status: number, seconds: number): void;
  refused(code: string): void;
}

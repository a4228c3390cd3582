/** What an Express server reports to its metrics. */
export interface WebReports {
  answered(status: number, seconds: number): void;
  refused(code: string): void;
}

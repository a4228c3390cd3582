/** What an Express edge tells whoever counts its answers. */
export interface WebReports {
  answered(status: number, seconds: number): void;
  refused(code: string): void;
}

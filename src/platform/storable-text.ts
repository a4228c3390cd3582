/** Decides which texts Postgres stores unchanged. */

/** Postgres has no NUL in text, and an unpaired surrogate arrives there as another character. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The envelope of success (section 4), and how times are written. */
import type { Response } from 'express';

export function answer(response: Response, status: number, data: unknown, more: object = {}): void {
  response.status(status).json({ success: true, data, ...more });
}

/** ISO 8601, UTC, whole seconds (decision 2). */
export function time(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

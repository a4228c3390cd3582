/** The envelope of success (section 4). */
import type { Response } from 'express';

export function answer(response: Response, status: number, data: unknown, more: object = {}): void {
  response.status(status).json({ success: true, data, ...more });
}

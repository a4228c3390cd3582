/** The envelope of every answer (spec 4 and spec 7). */
import type { Response } from 'express';

export function answer(response: Response, status: number, data: unknown, more: object = {}): void {
  response.status(status).json({ success: true, data, ...more });
}

export function errorEnvelope(code: string, message: string, details?: Readonly<Record<string, unknown>>) {
  return { success: false, error: { code, message, ...(details && { details }) } };
}

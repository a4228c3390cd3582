/** The envelope of every answer (spec 4 and spec 7). */
import type { Response } from 'express';
import { answerAndLinger } from '../platform/http/linger.ts';

export function answer(response: Response, status: number, data: unknown, more: object = {}): void {
  sendJson(response, status, { success: true, data, ...more });
}

export function sendJson(response: Response, status: number, body: object): void {
  sendText(response.status(status), 'application/json; charset=utf-8', JSON.stringify(body));
}

export function sendText(response: Response, contentType: string, text: string): void {
  sendBytes(response, contentType, Buffer.from(text));
}

/** Sends every answer. The request may still be arriving, so the answer lingers. */
export function sendBytes(response: Response, contentType: string, body: Buffer): void {
  response.locals.answeredAt = performance.now();
  response.set({ 'Content-Type': contentType, 'Content-Length': String(body.length) });
  answerAndLinger(response.req, response, body);
}

export function errorEnvelope(code: string, message: string, details?: Readonly<Record<string, unknown>>) {
  return { success: false, error: { code, message, ...(details && { details }) } };
}

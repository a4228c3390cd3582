/** The envelope of every answer (spec 4 and spec 7). */
import type { Response } from 'express';
import { answerAndLinger } from '../../platform/http/linger.ts';
import { writeJson } from '../../platform/json/write-json.ts';

/** The longest text that Node gets as a string. Node copies such a text behind the head of its answer, and writes both at once. */
const MAX_JOINED_LENGTH = 16_384;

/** An answer before it is sent. `text`: JSON. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

export function successAnswer(status: number, data: unknown, more: object = {}): Answer {
  return { status, text: writeJson({ success: true, data, ...more }) };
}

export function answer(response: Response, status: number, data: unknown, more: object = {}): void {
  sendAnswer(response, successAnswer(status, data, more));
}

export function sendAnswer(response: Response, { status, text }: Answer): void {
  sendText(response.status(status), 'application/json; charset=utf-8', text);
}

export function sendJson(response: Response, status: number, body: object): void {
  sendAnswer(response, { status, text: writeJson(body) });
}

export function sendText(response: Response, contentType: string, text: string): void {
  if (text.length > MAX_JOINED_LENGTH) sendBytes(response, contentType, Buffer.from(text));
  else send(response, contentType, text, Buffer.byteLength(text));
}

export function sendBytes(response: Response, contentType: string, body: Buffer): void {
  send(response, contentType, body, body.length);
}

/** Sends every answer. The request may still be arriving (platform/http/linger.ts). */
function send(response: Response, contentType: string, body: string | Buffer, bytes: number): void {
  response.locals.answeredAt = performance.now();
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', String(bytes));
  answerAndLinger(response.req, response, body);
}

export function errorEnvelope(code: string, message: string, details?: Readonly<Record<string, unknown>>) {
  return { success: false, error: { code, message, ...(details && { details }) } };
}

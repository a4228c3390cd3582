/** Sends a browser to another address. */
import type { Response } from 'express';
import { sendBytes } from './envelope.ts';

/** Redirects the client. `location`: a path of ours, or an address that we made. */
export function redirect(response: Response, location: string, status: 302 | 303 | 308 = 302): void {
  response.status(status).set('Location', location);
  sendBytes(response, 'text/plain; charset=utf-8', Buffer.alloc(0));
}

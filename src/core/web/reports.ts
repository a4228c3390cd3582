/** The reports of an Express server to its metrics. */
import type { RequestHandler } from 'express';

export interface WebReports {
  answered(status: number, seconds: number): void;
  refused(code: string): void;
}

/**
 * Counts every answer, and times the answer from the headers of its request until we hand it to Node. A request whose client goes away
 * before its answer does not count.
 */
export function reportAnswers(reports: WebReports): RequestHandler {
  return (_request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      // If no headers were sent, the client got no answer.
      if (!response.headersSent) return;
      // An early answer waits for the rest of its request (platform/http/linger.ts). We do not count this wait as our time.
      const answeredAt: number = response.locals.answeredAt ?? performance.now();
      reports.answered(response.statusCode, (answeredAt - startedAt) / 1000);
    });
    next();
  };
}

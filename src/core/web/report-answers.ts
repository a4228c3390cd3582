/**
 * Counts every answer, and times it from the headers of its request until we hand it to Node. A client that goes away before does not
 * count.
 */
import type { RequestHandler } from 'express';
import type { WebReports } from './reports.ts';

export function reportAnswers(reports: WebReports): RequestHandler {
  return (_request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      // If no headers were sent, the client got no answer.
      if (!response.headersSent) return;
      // An early answer waits for the rest of its request (platform/http/linger.ts). This wait is not our time.
      const answeredAt: number = response.locals.answeredAt ?? performance.now();
      reports.answered(response.statusCode, (answeredAt - startedAt) / 1000);
    });
    next();
  };
}

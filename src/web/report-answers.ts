/** Counts every answer, and the time from the request's headers until it is sent or its client has gone. */
import type { RequestHandler } from 'express';
import type { WebReports } from './reports.ts';

export function reportAnswers(reports: WebReports): RequestHandler {
  return (_request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      // Without one nobody was answered.
      if (response.headersSent) reports.answered(response.statusCode, (performance.now() - startedAt) / 1000);
    });
    next();
  };
}

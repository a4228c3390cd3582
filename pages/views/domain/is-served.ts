import type { Domain } from '../../../client/src/answers.ts';

/** Whether crawlers can fetch its sitemaps. */
export function isServed({ status }: Pick<Domain, 'status'>): boolean {
  return status === 'verified' || status === 'active';
}

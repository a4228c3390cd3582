/** What people can choose to get as mail: incidents by their cause, and the weekly digest. */
export const TOPICS = [
  'heldUpload',
  'uploadsRefused',
  'sitemapStale',
  'robots',
  'dns',
  'certificate',
  'digest',
] as const;
export type Topic = (typeof TOPICS)[number];

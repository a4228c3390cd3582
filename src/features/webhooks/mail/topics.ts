/** The topics of mails that people can choose: incidents by their cause, and the weekly digest. */
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

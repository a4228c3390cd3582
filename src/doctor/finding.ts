/** Something that is not as it should be, and what helps. */
export interface Finding {
  readonly problem: keyof typeof CURES;
  /** The key of an object, or of a job. */
  readonly subject: string;
  /** Empty where no domain is concerned. */
  readonly hostname: string;
  /** For people. */
  readonly detail: string;
}

export const CURES = {
  'missing file': 'upload the sitemap again: its files are in the object storage alone',
  'damaged file': 'upload the sitemap again: its files are in the object storage alone',
  'missing object': 'site rebuild <hostname>',
  'damaged object': 'site rebuild <hostname>',
  'stale site': 'site rebuild <hostname>; see also the jobs',
  'stale directory': 'the job hosts.write mends it within an hour; see the jobs',
  'extra site': 'site rebuild <hostname>, which removes a site that is not to be served',
  'extra object': 'nothing refers to it: it costs its bytes only, and may be deleted from the store',
  'stuck job':
    'see that a process that works on jobs runs, and what it logs; jobs are tried again by themselves',
  'overdue garbage': 'see that a process that works on jobs runs, and what it logs of garbage.collect',
} as const;

/** A problem that the doctor found, and its cure. */
export interface Finding {
  readonly problem: keyof typeof CURES;
  /** The key of an object, a prefix of garbage, or the key or name of a job. */
  readonly subject: string;
  /** The hostname of the domain; empty if the finding concerns none. */
  readonly hostname: string;
  /** A text for people. */
  readonly detail: string;
}

/** A stable placement does not read the files without a change, so it leaves a lost file as it is. */
const UPLOAD_AGAIN =
  'upload the sitemap again with placement: order and force: true, because only the object storage had its files';

export const CURES = {
  'missing file': UPLOAD_AGAIN,
  'damaged file': UPLOAD_AGAIN,
  'missing changes':
    'the list of what this upload changed is lost; the next one that changes something has one again',
  'missing object': 'site rebuild <hostname>',
  'damaged object': 'site rebuild <hostname>',
  'missing certificate': 'certificate renew <hostname>, which asks for one',
  'stale site': 'site rebuild <hostname>; see also the jobs',
  'stale directory': 'the job hosts.write repairs it within an hour; see the jobs',
  'missing URLs':
    'nothing: search engines find these URLs in the sitemap, and they end as failed by themselves',
  'lost recent changes':
    'site rebuild <hostname>, after which jobs write the recent files again, without the changes before',
  'extra site': 'site rebuild <hostname>, which removes a site that must not be served',
  'extra object': 'nothing refers to it: it only takes space, and you may delete it from the store',
  'stuck job': 'check that a process that runs jobs is up, and read its log; jobs are retried automatically',
  'overdue garbage': 'check that a process that runs jobs is up, and read what it logs about garbage.collect',
} as const;

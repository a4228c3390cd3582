/** The options of upload sessions, of their parts and of their commits. */
import type { RetryOptions } from '../http/retry.ts';
import type { DialectOptions } from './dialect-options.ts';
import type { Encoding, UploadForm } from './form.ts';
import type { UploadOptions } from './upload-options.ts';

type SessionMember =
  | 'sitemapName'
  | 'sizeLimit'
  | 'placement'
  | 'expectedUrlCount'
  | 'onInvalid'
  | 'maxRejected'
  | 'maxRejectedPercent';

/** The options of a session. Limits count for all parts together. */
export interface SessionOptions extends Pick<UploadOptions, SessionMember>, RetryOptions {
  /** With the same key, such as the id of a run, all callers get the same session. Default: a new key. */
  readonly idempotencyKey?: string | undefined;
}

export interface PartOptions extends DialectOptions, RetryOptions {
  /** Compresses the body: it becomes about ten times smaller, for some CPU time on this machine. */
  readonly gzip?: boolean | undefined;
}

export interface PartStreamOptions extends PartOptions {
  readonly form: UploadForm;
  /** The encoding of a body that is already compressed. */
  readonly encoding?: Encoding | undefined;
}

export interface CommitOptions
  extends Pick<UploadOptions, 'ifGeneration' | 'force' | 'dryRun'>,
    RetryOptions {}

export function sessionMembers(domain: string, options: SessionOptions) {
  const { sitemapName, sizeLimit, placement, expectedUrlCount, onInvalid } = options;
  const { maxRejected, maxRejectedPercent } = options;
  const terms = { expectedUrlCount, onInvalid, maxRejected, maxRejectedPercent };
  return { domain, sitemapName, sizeLimit, placement, ...terms };
}

export function commitMembers(
  parts: readonly { readonly part: number; readonly digest: string }[],
  { ifGeneration, force, dryRun }: CommitOptions,
) {
  return { parts: parts.map(({ part, digest }) => ({ part, digest })), ifGeneration, force, dryRun };
}

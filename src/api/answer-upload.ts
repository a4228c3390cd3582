/** Answers a request that has published an upload, or tried to. */
import type { Response } from 'express';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { AcceptedUpload } from '../uploads/accept-upload.ts';
import { type PingOptions, pingSearch } from '../uploads/ping-search.ts';
import { answer } from '../web/envelope.ts';
import { type DescribeUploadOptions, describeUpload } from './describe-upload.ts';

export interface AnswerUploadOptions extends DescribeUploadOptions {
  readonly ping: PingOptions;
  readonly now: () => Date;
}

/** Search engines are told first, if the upload asks for it. */
export async function answerUpload(
  options: AnswerUploadOptions,
  response: Response,
  upload: AcceptedUpload,
): Promise<void> {
  const described = describeUpload(options, upload);
  const ping =
    upload.pingSearch && !upload.dryRun
      ? await pingSearch(options.ping, described.sitemapUrl, options.now)
      : undefined;
  answer(response, 200, {
    ...described,
    ...(ping && { searchPing: { status: ping.status, pingedAt: isoSeconds(ping.pingedAt) } }),
  });
}

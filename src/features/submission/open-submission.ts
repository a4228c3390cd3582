/** Opens the room that switches submission and shows its hosts. `work-on-host.ts` submits. */
import { verbsOn } from '../../platform/verb.ts';
import { listHosts } from './host-store.ts';
import { type SwitchOptions, switchSubmission } from './switch-submission.ts';
import { type VerifyPageHostOptions, verifyPageHost } from './verify-page-host.ts';

export type OpenSubmissionOptions = SwitchOptions & VerifyPageHostOptions;

export type Submission = ReturnType<typeof openSubmission>;

export function openSubmission(options: OpenSubmissionOptions) {
  return {
    isConfigured: options.isConfigured,
    ...verbsOn(options, { switch: switchSubmission, verifyPageHost }),
    ...verbsOn(options.database, { listHosts }),
  };
}

/** The faults of hostnames that are about to be added. */
import type { CheckedHostname } from '../../../client/src/answers.ts';
import { get } from '../../api/request.ts';

export const MAX_HOSTNAMES = 50;

export const checkHostnames = (hosts: readonly string[]) =>
  get<readonly CheckedHostname[]>(`domains/check?hostname=${encodeURIComponent(hosts.join(','))}`);

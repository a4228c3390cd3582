/** Asks the service whether hostnames can be added, and if not, why. */
import type { CheckedHostname } from '../../../client/src/answers.ts';
import { get } from '../../api/request.ts';

export const MAX_HOSTNAMES = 50;

export const checkHostnames = (hosts: readonly string[]) =>
  get<readonly CheckedHostname[]>(`domains/check?hostname=${encodeURIComponent(hosts.join(','))}`);

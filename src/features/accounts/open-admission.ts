/** Opens the room that admits requests: it checks keys and sessions, and limits requests per minute and concurrent uploads. */
import { together } from '../../platform/concurrency/together.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { lookUpInGroups } from '../../platform/postgres/in-groups.ts';
import { verbsOn } from '../../platform/verb.ts';
import { type AdmissionOptions, admitCaller } from './admit-caller.ts';
import { unauthorized } from './api-key.ts';
import { CallerMemory } from './caller-memory.ts';
import { refuseOutside } from './key-scope.ts';
import { findCaller, findCallers, type KeyOwner } from './key-store.ts';
import type { Plans } from './plans.ts';
import { createLocalLimit, createRateLimit, createRateLimits } from './rate-limits.ts';
import { findRequests } from './request-count-store.ts';
import { notSignedIn, type SessionOwner } from './session.ts';
import { findSession, findSessions } from './session-store.ts';
import { createUploadSlots, type UploadSlotsOptions } from './upload-slots.ts';

/** A poll waits at most this long for other polls, to share a statement with them. Its page shows the last answer meanwhile. */
const POLLS_WITHIN_MS = 100;

export interface OpenAdmissionOptions {
  readonly database: Database;
  readonly log: Log;
  readonly plans: Plans;
  /** The most failed authentications of one client per minute, counted apart for keys and for sessions. */
  readonly failuresPerMinute: number;
  /** The most reads, and the most changes, of one person per minute, over all sessions of the person. */
  readonly requestsPerMinute: number;
  /** The most connections to Postgres for lookups of keys and sessions that were not valid lately. */
  readonly unknownAtOnce: { readonly keys: number; readonly sessions: number };
  readonly uploads: Pick<UploadSlotsOptions, 'perAccount' | 'perProcess'>;
  readonly complain: AdmissionOptions['complain'] & {
    readonly accountLimited: (
      subject: Pick<KeyOwner, 'accountId' | 'plan'> & { requestsPerMinute: number },
    ) => void;
  };
}

export type Admissions = ReturnType<typeof openAdmission>;

export function openAdmission(options: OpenAdmissionOptions) {
  const { database, log, plans, complain, unknownAtOnce, failuresPerMinute, requestsPerMinute } = options;
  const rateLimits = createRateLimits(database, plans);
  const byKey: AdmissionOptions<KeyOwner> = {
    findKnownCaller: lookUpInGroups(database, (key) => key, findCallers),
    findUnknownCaller: (key) => findCaller(database, key),
    refuseOutside: ({ scope }, client) => refuseOutside(scope, client),
    countRequest: async ({ accountId, plan }) => {
      const state = await rateLimits.countRequest(accountId, plan);
      // Over all processes, exactly one request in a minute is the first beyond the limit.
      if (state.excess === 1) complain.accountLimited({ accountId, plan, requestsPerMinute: state.limit });
      return state;
    },
    countFailure: createRateLimit(database, 'failed-authentication', failuresPerMinute),
    ...{ unauthorized, complain, callerMemory: new CallerMemory() },
    unknownKeyTurns: new Turns(unknownAtOnce.keys),
  };
  const countRead = createRateLimit(database, 'user', requestsPerMinute);
  const countPersonalChange = createRateLimit(database, 'user-change', requestsPerMinute);
  const countPoll = createLocalLimit(requestsPerMinute);
  const byRead: AdmissionOptions<SessionOwner> = {
    findKnownCaller: lookUpInGroups(database, (token) => token, findSessions),
    findUnknownCaller: (token) => findSession(database, token),
    refuseOutside: () => undefined,
    countRequest: ({ session }) => countRead(session.userId),
    countFailure: createRateLimit(database, 'failed-session', failuresPerMinute),
    ...{ unauthorized: notSignedIn, complain, callerMemory: new CallerMemory() },
    unknownKeyTurns: new Turns(unknownAtOnce.sessions),
  };
  // Reads, changes and polls have a memory each, because open pages read by themselves: a person beyond the limit of reads may still make
  // changes. The memories share the sessions that were recently valid.
  const ownMemory = () => new CallerMemory(undefined, byRead.callerMemory);
  const byChange: AdmissionOptions<SessionOwner> = {
    ...byRead,
    countRequest: ({ session }) => countPersonalChange(session.userId),
    callerMemory: ownMemory(),
  };
  const otherPolls = together(POLLS_WITHIN_MS);
  const byPoll: AdmissionOptions<SessionOwner> = {
    ...byRead,
    findKnownCaller: async (token) => {
      await otherPolls();
      return byRead.findKnownCaller(token);
    },
    countRequest: async ({ session }) => countPoll(session.userId),
    callerMemory: ownMemory(),
  };
  return {
    ...verbsOn(byKey, { admitKey: admitCaller<KeyOwner> }),
    ...verbsOn(byRead, { admitRead: admitCaller<SessionOwner> }),
    ...verbsOn(byChange, { admitChange: admitCaller<SessionOwner> }),
    /** Admits a request that pages repeat all the time. Each process counts only its own requests. */
    ...verbsOn(byPoll, { admitPoll: admitCaller<SessionOwner> }),
    /** Counts a change that a person makes on a route that keys have too. */
    countChange: rateLimits.countChange,
    ...verbsOn(database, { findRequests, createLimit: createRateLimit }),
    uploadSlots: createUploadSlots(database, { ...options.uploads, log }),
  };
}

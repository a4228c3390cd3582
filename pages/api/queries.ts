/** The queries that several pages use. Each has one key, so the pages share its answer. */
import type { UploadAttempt } from '../../client/src/answers.ts';
import type {
  DomainRow,
  KeyRow,
  Live,
  Members,
  Overview,
  SignInOptions,
} from '../../src/edges/dashboard/wire.ts';
import { get, getPage } from './request.ts';

export const liveQuery = { queryKey: ['live'], queryFn: () => get<Live>('live') };
export const overviewQuery = { queryKey: ['overview'], queryFn: () => get<Overview>('overview') };
export const keysQuery = { queryKey: ['keys'], queryFn: () => get<readonly KeyRow[]>('keys') };
export const membersQuery = { queryKey: ['members'], queryFn: () => get<Members>('members') };
export const signInQuery = { queryKey: ['sign-in'], queryFn: () => get<SignInOptions>('sign-in') };

export const uploadQuery = (id: string) => ({
  queryKey: ['upload', id],
  queryFn: () => get<UploadAttempt>(`uploads/${encodeURIComponent(id)}`),
});

/** The first 100 domains whose hostname contains `search`, to choose from. */
export const domainsQuery = (search = '') => ({
  queryKey: ['domains', 'to choose', search],
  queryFn: () => getPage<DomainRow>(`overview/domains?${new URLSearchParams({ ...(search && { search }) })}`),
});

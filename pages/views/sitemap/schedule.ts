/** What the page of a sitemap asks about its schedule. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Schedule, ScheduleHook, SchedulePreview } from '../../../client/src/answers.ts';
import { ApiError, ask, get } from '../../api/request.ts';
import { type SitemapId, sitemapKey, sitemapPath } from './sitemap-queries.ts';

const schedulePath = (sitemap: SitemapId, ...below: readonly string[]) =>
  sitemapPath(sitemap, 'schedule', ...below);

const LOADING_EVERY_MS = 5000;

/** Null: the sitemap has none. */
export function useSchedule(sitemap: SitemapId) {
  return useQuery({
    queryKey: sitemapKey(sitemap, 'schedule'),
    queryFn: () =>
      get<Schedule>(schedulePath(sitemap)).catch((error) => {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return null;
        throw error;
      }),
    refetchInterval: ({ state: { data } }) => (data?.asked || data?.uploadId ? LOADING_EVERY_MS : false),
  });
}

/** The next times of an expression, as the service computes them. */
export function usePreview(cron: string, timezone: string) {
  const query = new URLSearchParams({ cron, timezone });
  return useQuery({
    queryKey: ['schedule-preview', cron, timezone],
    queryFn: () => get<SchedulePreview>(`schedules/preview?${query}`),
    retry: false,
  });
}

export interface GivenSchedule {
  readonly cron: string | null;
  readonly timezone: string;
  readonly load: object;
}

/** The actions on a schedule. Each shows the state that the service then has. */
export function useScheduleWork(sitemap: SitemapId) {
  const client = useQueryClient();
  const renew = () => client.invalidateQueries({ queryKey: sitemapKey(sitemap, 'schedule') });
  const doing =
    <Answer>(method: 'PUT' | 'PATCH' | 'POST' | 'DELETE', ...below: readonly string[]) =>
    async (body?: object) => {
      const answer = await ask<Answer>(method, schedulePath(sitemap, ...below), body);
      await renew();
      return answer;
    };
  return {
    set: (given: GivenSchedule) => doing('PUT')(given),
    setEnabled: (enabled: boolean) => doing('PATCH')({ enabled }),
    runNow: () => doing('POST', 'run')(),
    remove: () => doing('DELETE')(),
    makeHook: () => doing<ScheduleHook>('POST', 'hook')(),
    removeHook: () => doing('DELETE', 'hook')(),
  };
}

/** The requests of the page of a sitemap about its schedule. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type {
  Schedule,
  ScheduleHook,
  SchedulePreview,
  ScheduleSummary,
} from '../../../client/src/answers.ts';
import { domainPath } from '../../api/domain.ts';
import { ask, get, getPage } from '../../api/request.ts';
import { type SitemapId, sitemapKey, sitemapPath } from './sitemap-queries.ts';

const schedulePath = (sitemap: SitemapId, ...below: readonly string[]) =>
  sitemapPath(sitemap, 'schedule', ...below);

const LOADING_EVERY_MS = 5000;

/**
 * Returns the schedule; null if there is none. Most sitemaps have none. So ask for the list first: browsers log an answer of 404 as an
 * error.
 */
async function readSchedule(sitemap: SitemapId): Promise<Schedule | null> {
  const query = new URLSearchParams({ sitemap: sitemap.name, limit: '1' });
  const path = `${domainPath(sitemap.domainId, 'schedules')}?${query}`;
  const { rows } = await getPage<ScheduleSummary>(path);
  return rows.length === 0 ? null : get<Schedule>(schedulePath(sitemap));
}

/** Reads the schedule. The value is null if the sitemap has none. */
export function useSchedule(sitemap: SitemapId) {
  return useQuery({
    queryKey: sitemapKey(sitemap, 'schedule'),
    queryFn: () => readSchedule(sitemap),
    refetchInterval: ({ state: { data } }) => (data?.asked || data?.uploadId ? LOADING_EVERY_MS : false),
  });
}

/** Reads the words and the next times of a cron expression from the service. Reads nothing if `cron` is null. */
export function usePreview(cron: string | null, timezone: string) {
  const query = new URLSearchParams({ cron: cron ?? '', timezone });
  return useQuery({
    queryKey: ['schedule-preview', cron, timezone],
    queryFn: () => get<SchedulePreview>(`schedules/preview?${query}`),
    enabled: cron !== null,
    retry: false,
  });
}

export interface GivenSchedule {
  readonly cron: string | null;
  readonly timezone: string;
  readonly load: object;
}

/** Returns the actions on a schedule. After each, the page reads the schedule again. */
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
    make: (given: GivenSchedule) => doing('PUT')(given),
    /** What the form does not show stays as it is: a paused schedule stays paused. */
    change: (given: GivenSchedule) => doing('PATCH')(given),
    setEnabled: (enabled: boolean) => doing('PATCH')({ enabled }),
    runNow: () => doing('POST', 'run')(),
    remove: () => doing('DELETE')(),
    makeHook: () => doing<ScheduleHook>('POST', 'hook')(),
    removeHook: () => doing('DELETE', 'hook')(),
  };
}

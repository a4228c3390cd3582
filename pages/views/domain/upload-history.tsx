/** The uploads and partial updates of a domain in the last 90 days, the refused ones too. */

import type { UploadAttempt } from '../../../client/src/answers.ts';
import { timeNow } from '../../api/clock.ts';
import { Card } from '../../parts/card.tsx';
import { State } from '../../parts/chip.tsx';
import { bytes, count, duration } from '../../parts/format.ts';
import { isDelta } from '../../parts/is-delta.ts';
import { ShowMore } from '../../parts/show-more.tsx';
import { WhenLoaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { DiscardHeld } from './discard-held.tsx';
import { LoadProgress } from './load-progress.tsx';
import { isStillHeld, OUTCOMES, reasonOf } from './outcome.ts';
import { ReviewHeld } from './publish-held.tsx';
import { refusedPage } from './upload-page.ts';
import { type NameOf, useNames } from './uploader-names.ts';
import { useUploads } from './use-uploads.ts';

const HEAD = [
  'Sitemap',
  'Outcome',
  { name: 'URLs', isNumber: true },
  { name: 'Files', isNumber: true },
  'When',
  'By',
] as const;

/** The names of forms, as people write them. */
const FORMS: Readonly<Record<UploadAttempt['form'], string>> = {
  json: 'JSON',
  ndjson: 'NDJSON',
  text: 'List of URLs',
  csv: 'CSV',
  xml: 'XML',
  parquet: 'Parquet',
};

export function UploadHistory({ domainId }: { readonly domainId: string }) {
  const nameOf = useNames();
  const { list, rows } = useUploads(domainId);
  return (
    <Card title="Uploads" aside="of the last 90 days">
      <WhenLoaded query={list}>
        {() =>
          rows.length === 0 ? (
            <p class="quiet">Nothing has been uploaded yet.</p>
          ) : (
            <>
              <Table asCards label="Uploads" head={HEAD}>
                {rows.map((attempt) => (
                  <Row key={attempt.id} domainId={domainId} attempt={attempt} nameOf={nameOf} />
                ))}
              </Table>
              <ShowMore list={list} what="uploads" />
            </>
          )
        }
      </WhenLoaded>
    </Card>
  );
}

interface RowProps {
  readonly domainId: string;
  readonly attempt: UploadAttempt;
  readonly nameOf: NameOf;
}

function Row({ domainId, attempt, nameOf }: RowProps) {
  const { id, outcome, sitemapName, form, encoding, bytesReceived, rejected } = attempt;
  const { tone, word } = OUTCOMES[outcome];
  const reason = reasonOf(attempt);
  const isRefused = attempt.code !== null && outcome !== 'held';
  const load = outcome === 'running' ? attempt.load : null;
  const warnings = load === null ? (attempt.load?.warnings ?? []) : [];
  const hasMore = load !== null || reason !== undefined || warnings.length > 0;
  return (
    <>
      <tr class={hasMore ? 'has-more' : undefined}>
        <th scope="row">
          {sitemapName ?? <span class="quiet">no name</span>}
          <span class="below">
            {[isDelta(id) && 'Partial update', FORMS[form], encoding].filter(Boolean).join(', ')},{' '}
            {bytes(bytesReceived)}
          </span>
        </th>
        <td>
          <State tone={tone}>{word}</State>
        </td>
        <td class="number" data-label="URLs">
          {count(attempt.urlCount)}
          {rejected > 0 && (
            <span class="below">
              {count(rejected)} {isRefused ? 'with mistakes' : 'left out'}
            </span>
          )}
          {isDelta(id) && <span class="below">in the update</span>}
        </td>
        <td class="number" data-label="Files">
          {isDelta(id) ? '' : count(attempt.filesGenerated)}
        </td>
        <td data-label="When">
          <Time at={attempt.startedAt} />
          <span class="below nowrap">took {duration(attempt.durationMs)}</span>
        </td>
        <td class="wide" data-label="By">
          {nameOf(attempt)}
        </td>
      </tr>
      {load && (
        <tr>
          <td colSpan={HEAD.length}>
            <div class="more">
              <LoadProgress domainId={domainId} uploadId={id} load={load} />
            </div>
          </td>
        </tr>
      )}
      {hasMore && load === null && (
        <tr>
          <td colSpan={HEAD.length}>
            <div class="more">
              {reason && <p>{reason}</p>}
              {warnings.map((warning) => (
                <p class="quiet" key={warning}>
                  {warning}
                </p>
              ))}
              {isRefused && <Refusal domainId={domainId} attempt={attempt} />}
              {isStillHeld(attempt, timeNow()) && (
                <div class="buttons">
                  <ReviewHeld domainId={domainId} id={id} sitemapName={sitemapName ?? 'default'} />
                  <DiscardHeld domainId={domainId} id={id} />
                </div>
              )}
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

/** A link to all mistakes, if there are any, and the code and message of the API, because programmers search for them. */
function Refusal({
  domainId,
  attempt: { id, errors, code, message },
}: Pick<RowProps, 'domainId' | 'attempt'>) {
  return (
    <>
      {errors.length > 0 && <a href={refusedPage(domainId, id)}>See the mistakes</a>}
      <details>
        <summary>In the API</summary>
        <p class="quiet">
          <code>{code}</code> {message}
        </p>
      </details>
    </>
  );
}

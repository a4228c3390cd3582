/** The SQL that reads a held upload as one side of a comparison. */
import { type Queryable, slowStatement } from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { uploadPrefix } from '../sites/site.ts';
import type { UploadFile } from './comparison-store.ts';

interface HeldSides {
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  /** Whether the upload is not published and its files are still kept. */
  readonly isHeld: boolean;
  /** The live upload of the sitemap; null if there is none. */
  readonly liveUploadId: string | null;
  /** Whether the held and the live upload have XML of different versions (`core/sitemap/xml-version.ts`). */
  readonly haveOtherXml: boolean;
  readonly askedAt: Date;
}

export function findHeldSides(queryable: Queryable, accountId: string, uploadId: string) {
  return firstRow<HeldSides>(
    queryable,
    `SELECT h.hostname, h.sitemap_name AS "sitemapName", s.upload_id AS "liveUploadId", now() AS "askedAt",
            h.published IS NULL AND EXISTS (SELECT FROM garbage WHERE prefix = $3 AND collect_after > now()) AS "isHeld",
            coalesce((h.print->>'xmlVersion')::integer, 1) <> coalesce(u.xml_version, 1) AS "haveOtherXml"
       FROM held_uploads h
       LEFT JOIN sitemaps s ON s.domain_id = h.domain_id AND s.name = h.sitemap_name
       LEFT JOIN uploads u ON u.id = s.upload_id
      WHERE h.id = $1 AND h.account_id = $2`,
    [uploadId, accountId, uploadPrefix(uploadId)],
  );
}

/** Returns the files of a held upload in order. Returns no file if the upload is no longer held. */
export function findHeldFiles(queryable: Queryable, uploadId: string) {
  return allRows<UploadFile>(
    queryable,
    slowStatement(
      `SELECT f.n::integer, (file->>'entries')::integer AS entries, (file->>'bytes')::integer AS bytes,
              (file->>'gzipBytes')::integer AS "gzipBytes", file->>'etag' AS etag, h.id AS "uploadId",
              (file->>'n')::integer AS "uploadN"
         FROM held_uploads h, json_array_elements(h.files) WITH ORDINALITY AS f (file, n)
        WHERE h.id = $1 ORDER BY f.n`,
      [uploadId],
    ),
  );
}

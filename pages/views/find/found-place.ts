/** A place of a URL: a file of a sitemap that has the URL. */
import type { FoundUrl } from '../../../client/src/answers.ts';

export type FoundPlace = FoundUrl['places'][number];

export const fileNameOf = ({ file }: Pick<FoundPlace, 'file'>) => new URL(file.url).pathname.slice(1);

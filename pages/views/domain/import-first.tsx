/** Offers to import the present sitemap of a website into a domain without a sitemap. */
import type { DomainDetails } from '../../../client/src/answers.ts';
import { useImport } from '../../api/import-list.ts';
import { type KeptField, TodayField } from '../../parts/today-field.tsx';

export interface ImportFirstProps {
  readonly domain: Pick<DomainDetails, 'id' | 'hostname'>;
  readonly isNext?: boolean;
  readonly kept?: KeptField | undefined;
}

export function ImportFirst({ domain, isNext = false, kept }: ImportFirstProps) {
  const begin = useImport(domain.id);
  return <TodayField isNext={isNext} kept={kept} submit={(typed) => begin(domain, typed)} />;
}
